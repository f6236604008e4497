import operator, os
operator.attrgetter('system')(os)('x')
