# Numeric libraries ask for things that are refused, and carry on.
import numpy
for number in (237, 239, 238):  # mbind, get_mempolicy, set_mempolicy
    result, error = call(number, 0, 0, 0, 0, 0, 0)
    expect(number, result == -1 and error in ("ENOSYS", "EPERM"), (result, error))
a = numpy.random.default_rng(1).random((300, 300))
expect("solve", numpy.allclose(a @ numpy.linalg.inv(a), numpy.eye(300)))
verdict()
