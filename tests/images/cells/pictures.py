# covers: python3-matplotlib python3-seaborn python3-plotly python3-pil fonts-dejavu fonts-noto-cjk fonts-liberation
# %%
import io
import matplotlib
import matplotlib.pyplot as plt
import numpy as np


def drawn(text, **options):
    figure = plt.figure(figsize=(3, 1), dpi=80)
    figure.text(0.1, 0.4, text, fontsize=18, **options)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
    plt.close(figure)
    return pixels


import warnings
warnings.simplefilter("error")  # a missing glyph is told by a warning
seen = [drawn(text) for text in ("中文标签", "日本語ラベル", "한국어 라벨")]
assert all((a != b).any() for a, b in zip(seen, seen[1:]))
# %%
# Without the second font every character is the same empty box, and matplotlib says so.
warnings.simplefilter("ignore")
boxes = [drawn(text, fontfamily="DejaVu Sans") for text in ("中", "文")]
assert (boxes[0] == boxes[1]).all()
glyphs = [drawn(text) for text in ("中", "文")]
assert (glyphs[0] != glyphs[1]).any() and (glyphs[0] != boxes[0]).any()
warnings.resetwarnings()
# %%
from PIL import Image, ImageDraw, ImageFont
picture = Image.new("RGB", (64, 32), "white")
font = ImageFont.truetype("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", 24)
ImageDraw.Draw(picture).text((4, 0), "中", "black", font)
picture.save("p.png"); picture.save("p.jpg"); picture.save("p.webp")
assert Image.open("p.png").getextrema()[0][0] < 50
# %%
import plotly.graph_objects as go
assert go.Figure(go.Bar(x=[1], y=[1])).to_dict()["data"][0]["type"] == "bar"
# %%
import pandas as pd
import seaborn as sns
axes = sns.heatmap(pd.DataFrame(np.eye(3)))
assert len(axes.collections) == 1
plt.close("all")
import matplotlib.font_manager
names = {font.name for font in matplotlib.font_manager.fontManager.ttflist}
assert {"DejaVu Sans", "Noto Sans CJK JP", "Liberation Sans"} <= names
