import math
getattr(math, input())
