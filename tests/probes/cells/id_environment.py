# Nothing of the daemon's own environment.
known = {"HOME", "PATH", "LANG", "TZ", "USER", "LOGNAME", "TMPDIR", "MPLBACKEND",
         "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
         "PYTHONDONTWRITEBYTECODE", "MPLCONFIGDIR"}
for source in (os.environ, dict(e.split("=", 1) for e in open("/proc/self/environ").read().split("\0") if e)):
    extra = set(source) - known - {"CELLBLOCK_INCARNATION", "PAGER", "GIT_PAGER", "CLICOLOR",
                                   "TERM", "CLICOLOR_FORCE", "FORCE_COLOR"}
    expect("environment", not extra, extra)
verdict()
