import numpy as np
np.load('f', allow_pickle=True)
