# %%
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "bundle", "application/x-test": "b"}
Bundle()
# %%
class Html:
    def _repr_html_(self): return "<u>h</u>"
    def __repr__(self): return "Html!"
Html()
# %%
class Own:
    def _ipython_display_(self): print("own display")
Own()
# %%
class Latex:
    def _repr_latex_(self): return "$y$"
    def _repr_json_(self): return {"n": 1}
    def _repr_markdown_(self): return "**m**"
    def _repr_svg_(self): return "<svg/>"
Latex()
