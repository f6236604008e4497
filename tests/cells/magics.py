# %%
%timeit -n 10 -r 1 pass
# %%
%%time
y = 2
# %%
y
# %%
%who
# %%
pwd
# %%
len?
# %%
%lsmagic
# %%
%nosuchmagic
# %%
lines = !printf 'a\nb\n'
lines
# %%
%%bash
echo from bash
# %%
!exit 3
_exit_code
# %%
%env MY_VALUE=5
# %%
%history -n 1
