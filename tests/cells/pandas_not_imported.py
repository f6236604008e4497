# %%
import sys
1.5
# %%
[m for m in ("pandas", "numpy", "matplotlib", "jedi", "prompt_toolkit") if m in sys.modules]
