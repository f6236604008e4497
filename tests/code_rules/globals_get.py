globals().get('eval')('1')
