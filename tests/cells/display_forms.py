# %%
from IPython.display import HTML, Markdown, Latex, SVG, JSON, display
display(HTML("<b>hi</b>"))
display(Markdown("# hi"))
display(Latex("$x$"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg'></svg>"))
display(JSON({"a": [1, None]}))
display("plain", 5)
# %%
HTML("<i>value</i>")
