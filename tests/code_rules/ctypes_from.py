from ctypes import CDLL
CDLL(None)
