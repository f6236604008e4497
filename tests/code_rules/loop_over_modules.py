import os, sys
for m in (sys, os):
    m.system('x')
