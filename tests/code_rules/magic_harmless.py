%matplotlib inline
x = 1
