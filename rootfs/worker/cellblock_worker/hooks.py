"""What a fork of the whole interpreter needs before and after it.

before_fork says whether a copy would be faithful: only the calling thread survives a fork, and
children and sockets would be shared by both copies. after_fork makes the copy an interpreter of
its own.
"""
import gc
import os
import random
import stat
import sys

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401


def before_fork(flush, own_descriptors=()):
    """Flushes, freezes the collector, and returns the blockers: a list of sentences."""
    flush()
    gc.collect()
    gc.freeze()  # a later collection does not write to, and so copy, every old object
    blockers = []
    threads = len(os.listdir("/proc/self/task"))
    if threads > 1:
        blockers.append("%d threads besides the main one" % (threads - 1))
    children = _children()
    if children:
        blockers.append("%d child processes" % len(children))
    blockers += _shared_descriptors(own_descriptors)
    return blockers


def after_fork(working_directory):
    """In the copy: its own random numbers, its own working directory."""
    gc.unfreeze()
    os.chdir(working_directory)
    random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _children():
    pids = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/children" % task) as listing:
                pids += listing.read().split()
        except OSError:
            pass  # the thread has just ended
    return pids


def _shared_descriptors(own):
    found = []
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd <= 2 or fd in own:
            continue
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            continue  # the listing's own descriptor
        for test, word in ((stat.S_ISSOCK, "a socket"), (stat.S_ISFIFO, "a pipe")):
            if test(mode):
                found.append("descriptor %d is %s" % (fd, word))
    return found
