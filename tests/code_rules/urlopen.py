from urllib.request import urlopen as u
u('u')
