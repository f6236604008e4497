# %%
%pip install numpy>=1.0
# %%
%pip install surely-not-installed
# %%
pip list
