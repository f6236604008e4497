# Clocks can be read and not set; they agree with each other.
import time
expect("boottime", abs(time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()) < 86400 * 365)
fails("settime", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
some = ctypes.create_string_buffer(b"\x01", 256)  # modes = ADJ_OFFSET
refused("adjtimex", 159, some)
refused("clock_adjtime", 305, 0, some)
verdict()
