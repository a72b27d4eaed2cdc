"""Formulas of kubature as Python functions of NumPy's arrays."""

import re

_LETTERS = "xyzwvuts"


def python(text):
    """A formula in Python's syntax: ^ becomes **, if() becomes If()."""
    return re.sub(r"\bif\(", "If(", text.replace("^", "**"))


def variables(text, d):
    """The names of a formula's variables, in the order of the sides of its box."""
    by_number = [f"x{i + 1}" for i in range(d)]
    return by_number if re.search(r"\bx\d", text) or d > len(_LETTERS) else list(_LETTERS[:d])


def compiled(text, d, known, convert=lambda source: source):
    """A function of d arguments, with the functions that are known by their names."""
    names = ",".join(variables(text, d))
    return eval(f"lambda {names}: {convert(python(text))}", dict(known))  # pylint: disable=eval-used


def of_numpy(text, d):
    """A function of an (n, d) array of points that returns n values."""
    import numpy

    known = {name: getattr(numpy, name) for name in "exp log sqrt sin cos tan cosh sinh tanh abs pi log1p".split()}
    known.update(atan=numpy.arctan, If=numpy.where, max=numpy.maximum, min=numpy.minimum)
    try:
        from scipy import special

        known.update(erf=special.erf, gamma=special.gamma)
    except ImportError:
        pass
    f = compiled(text, d, known)

    def values(x):
        with numpy.errstate(all="ignore"):
            return numpy.broadcast_to(numpy.asarray(f(*x.T), dtype=float), len(x)).copy()

    return values
