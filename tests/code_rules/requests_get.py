import requests
requests.get('u')
