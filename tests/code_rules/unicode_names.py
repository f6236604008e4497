import os
ｏｓ.ｓｙｓｔｅｍ('é')
