# %%
import re
from collections import Counter
text = "Der schnelle braune Fuchs springt über den faulen Hund. Der Hund schläft; der Fuchs nicht."
words = re.findall(r"\w+", text.lower())
Counter(words).most_common(3)
# %%
from sklearn.feature_extraction.text import TfidfVectorizer
documents = ["cheap pills now", "meeting at noon", "cheap meeting pills", "lunch at noon"]
matrix = TfidfVectorizer().fit_transform(documents)
matrix.shape
# %%
from sklearn.cluster import KMeans
labels = KMeans(2, n_init=10, random_state=0).fit_predict(matrix)
labels
# %%
from bs4 import BeautifulSoup
page = "<table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1</td></tr></table>"
[[cell.text for cell in row.find_all(["td", "th"])] for row in BeautifulSoup(page, "lxml").find_all("tr")]
# %%
import io
import pandas as pd
read = pd.read_html(io.StringIO(page))[0]
assert read.iloc[0].tolist() == ["a", 1]
assert labels[1] == labels[3] != labels[0]
