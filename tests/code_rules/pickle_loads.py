import pickle as p
p.loads(b'')
