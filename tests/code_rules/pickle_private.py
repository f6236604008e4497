import _pickle
_pickle.loads(b'')
