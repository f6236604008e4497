import numpy as np
np.load('f', allow_pickle=False)
np.load('f')
