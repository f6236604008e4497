# %%
input("name? ")
# %%
import getpass
getpass.getpass()
# %%
import sys
sys.stdin.readline()
