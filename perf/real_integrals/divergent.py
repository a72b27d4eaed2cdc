"""Integrals that do not exist: |f| has none. Some have a principal value or a limit, which no method here may claim."""

from integral import Integral, decimal, inf
from smooth import LINE

UNIT = ("0", "1")
ABOVE_0, ABOVE_1 = ("0", inf), ("1", inf)
BOTH = ("-1", "1")


def divergent(draw):
    """Poles of order one and more, tails that fall too slowly or not at all, and oscillation without end."""
    u, v = draw.number(0.05, 0.95, 3), draw.number(0.05, 0.95, 3)
    a, b = draw.number(1.01, 1.5), draw.number(2, 3, 1)
    slow = draw.number(0.5, 1)
    c = draw.number(0.5, 4, 1)
    side = ("0", draw.number(0.2, 3, 1))
    around = (decimal(-float(u), 3), draw.number(0.2, 3, 1))
    forms = [
        ("1/x", [ABOVE_1]),
        ("1/(1+abs(x))", [LINE]),
        ("sin(x)", [ABOVE_0]),
        ("x", [LINE]),
        ("1/(1-x*y)^2", [UNIT] * 2),
        ("1/log(x)", [UNIT]),
        ("tan(x)", [("0", "2")]),
        (f"1/abs(x-{u})", [UNIT]),
        ("abs(x-y)^-1.2", [UNIT] * 2),
        ("(x+y-1)^-2", [UNIT] * 2),
        ("1/x", [BOTH]),
        ("1/x", [UNIT]),
        ("x^-1.01", [UNIT]),
        ("1/(x^2+y^2)", [UNIT] * 2),
        ("1/(x^2+y^2)", [BOTH] * 2),
        (f"1/(x-{u})^2", [UNIT]),
        ("sin(x)/x", [ABOVE_0]),
        (f"1/(x-{u})", [UNIT]),
        (f"1/((x-{u})*(y-{v}))", [UNIT] * 2),
        (f"1/((x-{u})^2*(y-{v})^2)", [UNIT] * 2),
        (f"1/((x-{u})^2+(y-{v})^2)", [UNIT] * 2),
        (f"((x-{u})^2+(y-{v})^2+z^2)^-{a}*((x-{u})^2+(y-{v})^2+z^2)^-0.5", [UNIT] * 3),
        (f"abs(x-y)^-{a}*exp(-{c}*z)", [UNIT] * 3),
        ("1/(x-y)", [UNIT] * 2),
        ("1/abs(x-y)", [side] * 2),
        (f"(1-x)^-{a}", [UNIT]),
        ("1/(1-x)", [UNIT]),
        (f"{c}/x", [side]),
        (f"x^-{a}", [side]),
        (f"x^-{a}*y^-0.5", [UNIT] * 2),
        (f"1/x^{b}", [around]),
        ("1/(x*(1-x))", [UNIT]),
        ("1/(x+y)^2", [UNIT] * 2),
        ("1/(x+y)", [BOTH] * 2),
        ("1/sin(x)", [side]),
        ("1/cos(x)", [("0", "2")]),
        ("1/(exp(x)-1)", [side]),
        ("exp(1/x)", [side]),
        ("1/log(x)", [("0.5", "2")]),
        ("gamma(x)", [UNIT]),
        ("1/sqrt(x)", [ABOVE_0]),
        (f"x^-{slow}", [ABOVE_1]),
        (f"(1+abs(x))^-{slow}", [LINE]),
        ("1/(x*log(x))", [("2", inf)]),
        ("log(x)", [ABOVE_1]),
        (f"x/({c}+x^2)", [ABOVE_0]),
        (f"x/({c}+x^2)", [LINE]),
        ("1", [ABOVE_0]),
        (c, [LINE] * 2),
        (f"x^2/({c}+x^2)", [LINE]),
        (f"exp({c}*x)", [ABOVE_0]),
        (f"exp(-{c}*x)", [LINE]),
        (f"cos({c}*x)", [LINE]),
        (f"cos({c}*x)/sqrt(x)", [ABOVE_0]),
        ("sin(x^2)", [LINE]),
        ("1/(1+x^2+y^2)", [LINE] * 2),
        (f"(1+x^2+y^2+z^2)^-{slow}", [LINE] * 3),
        (f"exp(-{c}*x^2)", [LINE] * 2),
        ("exp(-(x-y)^2)", [LINE] * 2),
        ("x^2*y", [ABOVE_1] * 2),
    ]
    text, sides = draw.in_turn(forms)
    return Integral(text, sides, None)
