import os
os.__dict__[input()]('x')
