"""Numbers with errors, as text."""

from __future__ import annotations

import math
from typing import Any, NamedTuple


#: The digits of a float after the first, at most: further ones are not written.
_most_digits = 17


def _exponent(x: float) -> int:
    return math.floor(math.log10(abs(x)))


def _scaled(x: float, n: int) -> float:
    """x / 10^n, also where 10^n is not a normal number."""
    if n >= 0:
        return x / 10.0**n
    return x * 10.0**-n if n >= -300 else x * 1e300 * 10.0 ** (-n - 300)


def format(value: float, error: float, digits: int | None = None) -> str:
    """"0.85131(4)": the value with the error in units of its last digit.

    >>> format(0.851312, 4.2e-5), format(0.851312, 1.62e-5), format(12869e9, 31e9)
    ('0.85131(4)', '0.851312(16)', '1.287(3)e+13')
    >>> format(0.5, 3e-20)  # below the last digit of a float
    '0.5(3e-20)'

    digits  of the error; None: one, or two if the first is a 1
    """
    if not (math.isfinite(value) and math.isfinite(error)):
        return f"{value:g}({error:g})"
    if error <= 0:
        return f"{value:.15g}(0)"
    last = _exponent(error)
    if digits is None:
        last -= _scaled(error, last) < 1.95
    else:
        last -= digits - 1
        if round(_scaled(error, last)) >= 10**digits:  # 0.0996 has the two digits 0.10
            last += 1
    lead = max(last if value == 0 else _exponent(value), last)
    if lead - last > _most_digits:
        return f"{value:.15g}({error:.{digits or 1}g})"
    shown = _scaled(error, last)
    if last <= 0 and -4 <= lead < 7:
        in_place = digits is not None and last < 0 and shown >= 10.0**-last  # 9.9 rather than 99
        of_error = f"{error:.{-last}f}" if in_place else f"{shown:.0f}"
        return f"{value:.{-last}f}({of_error})"
    return f"{_scaled(value, lead):.{lead - last}f}({shown:.0f})e{lead:+03d}"


def formatted(value: Any, spec: str) -> str:
    """A number, or the numbers of an array, in a format of floats or complex numbers."""
    return "  ".join(f"{each:{spec}}" for each in value.ravel().tolist()) if hasattr(value, "ravel") else f"{value:{spec}}"


class Estimate(NamedTuple):
    """A value with one standard deviation, printed as 0.85131(4); of several components, arrays of these.

    >>> print(Estimate(0.851312, 4.2e-5), f"{Estimate(0.851312, 4.2e-5):.3f}", Estimate(1 + 2j, 0.1 + 0.2j))
    0.85131(4) 0.851 1.00(10) + 2.0(2)i
    """

    value: Any
    error: Any

    def __str__(self) -> str:
        if hasattr(self.value, "ravel"):
            return "  ".join(str(each) for each in map(Estimate, self.value.ravel().tolist(), self.error.ravel().tolist()))
        if isinstance(self.value, complex):
            return of_complex(*(format(getattr(self.value, part), getattr(self.error, part)) for part in ("real", "imag")))
        return format(self.value, self.error)

    def __format__(self, spec: str) -> str:
        return formatted(self.value, spec) if spec else str(self)


def of_complex(real: str, imaginary: str) -> str:
    """A complex number, from texts of its parts."""
    return f"{real} - {imaginary[1:]}i" if imaginary.startswith("-") else f"{real} + {imaginary}i"


def chi2_survival(chi2: float, dof: int) -> float:
    """The probability of a chi^2 this large or larger by chance (Abramowitz and Stegun 26.4.4 and 26.4.5).

    >>> round(chi2_survival(5.991464547, 2), 6)
    0.05
    """
    if dof < 1 or not chi2 >= 0:
        return math.nan
    if math.isinf(chi2):
        return 0.0
    half = chi2 / 2
    odd = dof % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    for k in range(dof // 2):
        a = k + 0.5 * odd
        total += math.exp(a * math.log(half) - half - math.lgamma(a + 1)) if half > 0 else float(a == 0)
    return min(total, 1.0)


def plain(x: Any) -> Any:
    """A form that JSON accepts: lists for arrays, None for NaN and infinity."""
    if isinstance(x, float):
        return float(x) if math.isfinite(x) else None
    if isinstance(x, complex):
        return [plain(x.real), plain(x.imag)]
    if isinstance(x, dict):
        return {str(key): plain(each) for key, each in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(each) for each in x]
    return plain(x.tolist()) if hasattr(x, "tolist") else x
