np.load('f', allow_pickle=1)
