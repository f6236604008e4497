list(map(eval, ['1']))
