# covers: python3-nltk python3-jieba python3-requests python3-tqdm python3-psutil
# %%
import nltk
from nltk.stem import PorterStemmer
assert PorterStemmer().stem("running") == "run"
assert nltk.edit_distance("kitten", "sitting") == 3
# %%
import logging
import jieba
jieba.setLogLevel(logging.ERROR)
assert "北京" in list(jieba.cut("我来到北京清华大学"))
# %%
import requests
try:
    requests.get("http://example.com", timeout=5)
    assert False, "there is no network"
except requests.exceptions.ConnectionError:
    pass
# %%
import sys
from tqdm import tqdm
assert sum(tqdm(range(5), file=sys.stdout)) == 10
import psutil
assert psutil.Process().pid > 0 and psutil.virtual_memory().total > 0
