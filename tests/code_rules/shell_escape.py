!rm -rf x
