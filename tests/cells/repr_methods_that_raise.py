# %%
class A:
    def _repr_html_(self): raise ValueError("html broke")
    def __repr__(self): return "A as text"
A()
# %%
class B:
    def _repr_mimebundle_(self, include=None, exclude=None): raise ValueError("bundle broke")
    def __repr__(self): return "B as text"
B()
# %%
class C:
    def _ipython_display_(self): raise ValueError("display broke")
    def __repr__(self): return "C as text"
C()
# %%
class D:
    def __repr__(self): raise ValueError("repr broke")
D()
# %%
class E:
    def __repr__(self): return 5
E()
# %%
class F:
    def __getattr__(self, name): raise RuntimeError("no " + name)
    def __repr__(self): return "F as text"
F()
