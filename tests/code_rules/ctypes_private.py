import _ctypes
