# %% inputs="alice|42"
name = input("name? ")
age = int(input())
(name, age)
# %% inputs="secret"
import getpass
getpass.getpass("pw: ")
# %% inputs=""
input("more? ")
