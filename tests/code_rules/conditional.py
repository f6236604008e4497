import os, sys
(os if input() else sys).system('x')
