"""Kinds of integrals with ends that are not smooth, with cuts, of value zero, and of several components."""

from integral import Factor, Integral, decimal, product
from mpmath import mp, mpf
from smooth import LINE, minus, times


def side(draw):
    """A side whose ends have one decimal, seldom 0:1."""
    if draw.chance(0.3):
        return draw.pick([("-1", "1"), ("2", "5"), ("-1", "0"), ("0", "1"), ("0", "2"), ("1", "2")])
    lower = draw.number(-4, 4, 1)
    return lower, decimal(float(lower) + float(draw.number(0.3, 4, 1)), 1)


def from_lower(x, a):
    """The distance x - a as text."""
    return minus(x, a)


def from_upper(x, b):
    """The distance b - x as text."""
    return f"(-{x})" if b == "0" else f"({b}-{x})"


def of(function, text):
    """function(text), without a second pair of parentheses."""
    return function + text if text.startswith("(") else f"{function}({text})"


def end(draw, x):
    """A factor with a pole, a logarithm or a root at one end or both."""
    a, b = side(draw)
    length, (p, q) = mpf(b) - mpf(a), (draw.pick(["0.25", "0.5", "0.75", draw.number(0.1, 0.9)]) for _ in range(2))
    low, high, s, t = from_lower(x, a), from_upper(x, b), mpf(p), mpf(q)
    form = draw.whole(0, 9)
    if form == 0 or form == 1:
        radius = draw.pick(["1", "1", "2", "0.5", "3"])
        r = mpf(radius)
        square = f"{decimal(float(radius) ** 2, 2)}-{x}^2"
        lower = draw.pick(["0", f"-{radius}"])
        half = 1 if lower == "0" else 2
        if form == 0:
            return Factor(f"1/sqrt({square})", lower, radius, half * mp.pi / 2)
        return Factor(f"sqrt({square})", lower, radius, half * mp.pi * r * r / 4)
    if form == 2:
        return Factor(f"{low}^-{p}*{high}^-{q}", a, b, mp.beta(1 - s, 1 - t) * length ** (1 - s - t))
    if form == 3:
        return Factor(f"1/{of('sqrt', high)}", a, b, 2 * mp.sqrt(length))
    if form == 4:
        return Factor(f"1/{of('sqrt', low)}", a, b, 2 * mp.sqrt(length))
    if form == 5:
        return Factor(of("log", draw.pick([low, high])), a, b, length * (mp.log(length) - 1))
    if form == 6:
        value = length ** (1 + s) * (mp.log(length) / (1 + s) - 1 / (1 + s) ** 2)
        return Factor(f"{low}^{p}*{of('log', low)}", a, b, value)
    if form == 7:
        value = length ** (1 - s) * (mp.log(length) / (1 - s) - 1 / (1 - s) ** 2)
        return Factor(f"{high}^-{p}*{of('log', high)}", a, b, value)
    if form == 8:
        return Factor(of("sqrt", draw.pick([low, high])), a, b, length ** mpf(1.5) / mpf(1.5))
    value = length * (mp.log(length) ** 2 - 2 * mp.log(length) + 2)
    return Factor(f"{of('log', low)}^2", a, b, value)


def ends(draw):
    """Products of factors that are not smooth at their ends, over boxes of all kinds; none is nearly zero."""
    names = draw.names(draw.whole(1, 3))
    factors = []
    for x in names:
        factor = end(draw, x)
        while abs(factor.value) < 0.05:
            factor = end(draw, x)
        factors.append(factor)
    return product(factors)


def ball(draw):
    """A ball, or an orthant of it, with a power of the distance from its centre."""
    d = draw.whole(2, 5)
    names = draw.names(d)
    radius = draw.pick(["1", "1", draw.number(0.3, 2, 1)])
    r, k = mpf(radius), draw.pick([0, 0, 1, 2])
    sphere = 2 * mp.pi ** (mpf(d) / 2) / mp.gamma(mpf(d) / 2)
    orthant = draw.chance(0.4)
    centre = [draw.number(-2, 2, 1) if not orthant and draw.chance(0.3) else "0" for _ in names]
    square = "+".join(f"{minus(x, c)}^2" for x, c in zip(names, centre))
    inner = {0: "1", 1: f"sqrt({square})", 2: square}[k]
    limit = decimal(float(radius) ** 2, 2)
    truth = sphere * r ** (d + k) / (d + k) / (2**d if orthant else 1)
    wider = float(radius) + draw.pick([0, 0, float(draw.number(0.1, 1, 1))])
    sides = [("0" if orthant else decimal(float(c) - wider, 1), decimal(float(c) + wider, 1)) for c in centre]

    def again():
        # the volume of a ball by that of its slices
        volume = lambda n: (
            mpf(1) if n == 0 else volume(n - 1) * mp.quad(lambda z: (1 - z * z) ** (mpf(n - 1) / 2), [-1, 0, 1])
        )
        return volume(d) * r ** (d + k) * d / (d + k) / (2**d if orthant else 1)

    return Integral(f"if({square}<{limit},{inner},0)", sides, truth, again=again)


def simplex(draw):
    """A simplex, or the part of the unit box below a plane, with powers of the coordinates."""
    d = draw.whole(2, 5)
    names = draw.names(d)
    c = draw.pick(["1", "1", draw.number(0.3, d - 0.3, 1)])
    level, sum_of = mpf(c), "+".join(names)
    powers = [draw.pick([0, 0, 1, 2]) if level <= 1 else 0 for _ in names]
    weights = [x if n == 1 else f"{x}^{n}" for x, n in zip(names, powers) if n]
    inner = "*".join(weights) or "1"
    if level <= 1:  # Dirichlet
        total = d + sum(powers)
        truth = mp.fprod(mp.factorial(n) for n in powers) * level**total / mp.factorial(total)
    else:  # Irwin and Hall
        truth = sum((-1) ** k * mp.binomial(d, k) * (level - k) ** d for k in range(int(level) + 1)) / mp.factorial(d)

    def again():
        # one variable after the other
        def below(n, rest):
            if n < 0:
                return mpf(1)
            top = min(mpf(1), rest)
            cuts = sorted({p for p in [mpf(0), top, *(rest - k for k in range(1, n + 1))] if 0 <= p <= top})
            return mp.quad(lambda z: z ** powers[n] * below(n - 1, rest - z), cuts, maxdegree=2) if top > 0 else mpf(0)

        return below(d - 1, level) if d <= 3 else None

    return Integral(f"if({sum_of}<{c},{inner},0)", [("0", "1")] * d, truth, again=again)


def step(draw):
    """Two values on the two sides of a cut across one variable, times smooth factors."""
    names = draw.names(draw.whole(1, 3))
    cut, p, q = draw.number(0.05, 0.95, 3), draw.number(0.5, 5, 1), draw.number(0.5, 5, 1)
    c, a, b = mpf(cut), mpf(p), mpf(q)
    value = (1 - mp.exp(-a * c)) / a + b * (1 - c * c) / 2
    first = Factor(f"if({names[0]}<{cut},exp(-{p}*{names[0]}),{times(q, names[0])})", "0", "1", value, (cut,))
    return product([first] + [Factor(f"(1+{x}^2)", "0", "1", mpf(4) / 3) for x in names[1:]])


def cuts(draw):
    """Balls, simplices and steps by if()."""
    return draw.pick([ball, ball, simplex, simplex, step])(draw)


def zero(draw):
    """Integrals that vanish: odd functions, differences that cancel, and zero itself. The size is that of |f|."""
    c, u = draw.number(0.5, 5, 1), draw.number(0.5, 3, 1)
    k, n = draw.whole(1, 9), draw.pick([1, 3, 5])
    ab, a = [(f"-{u}", u)], mpf(u)
    unit = [("0", "1")]
    odd = [
        (f"sin({c}*x)", ab, a),
        (f"x^{n}" if n > 1 else "x", ab, a ** (n + 1) / (n + 1) * 2),
        (f"x*exp(-{c}*x^2)", [LINE], 1 / mpf(c)),
        ("x^3*exp(-abs(x))", [LINE], mpf(12)),
        (f"sin({2 * k}*pi*x)", unit, mpf(0.6)),
        (f"cos({k}*pi*x)", unit, mpf(0.6)),
        ("x-0.5", unit, mpf(0.25)),
        (f"exp({c}*x)-exp({c}*(1-x))", unit, mp.exp(mpf(c)) / mpf(c)),
        (f"erf({c}*x)-erf({c}*(1-x))", unit, mpf(0.5)),
        (f"erf(x+{c})-erf(x+{c})", ab, mpf(0)),
        ("sign(x)", ab, 2 * a),
        ("x/(1+x^2)", ab, mp.log(1 + a * a)),
        (f"atan({c}*x)", ab, a),
        ("x*y", ab * 2, a**4),
        ("x-y", ab * 2, a**3),
        (f"x*exp(-{c}*y)", ab + unit, a * a),
        (f"sin({c}*(x-y))", unit * 2, mpf(0.5)),
        (f"cos({k}*pi*x)*y", unit * 2, mpf(0.3)),
        ("x^2-y^2", unit * 2, mpf(0.5)),
        ("x*y*exp(-x^2-y^2)", [LINE] * 2, mpf(1)),
        ("x*y*z", ab * 3, a**6),
        (f"sin({c}*(x+y+z))", ab * 3, a**3),
        ("(x1-0.5)*(x2-0.5)*x3*x4", unit * 4, mpf(1) / 64),
        ("log(x)-log(1-x)", unit, mpf(1)),
        ("sqrt(x)-sqrt(1-x)", unit, mpf(0.5)),
        ("0", unit * draw.whole(1, 4), mpf(0)),
        ("0*x", unit, mpf(0)),
        ("x-x", ab, mpf(0)),
    ]
    text, sides, size = draw.in_turn(odd)
    return Integral(text, sides, mpf(0), size=size)


def several(draw):
    """Two or three components: waves, powers, decays."""
    form = draw.whole(0, 3)
    if form == 0:
        c = draw.number(1, 20, 1)
        k = mpf(c)
        truth = [mp.sin(k) / k, (1 - mp.cos(k)) / k]
        return Integral(f"cos({c}*x);sin({c}*x)", [("0", "1")], truth, size=mpf(1))
    if form == 1:
        high = draw.number(0.5, 3, 1)
        b = mpf(high)
        return Integral("x^2;x*y;y^2", [("0", high)] * 2, [b**4 / 3, b**4 / 4, b**4 / 3])
    if form == 2:
        c = draw.number(0.5, 5, 1)
        k = mpf(c)
        once = (1 - mp.exp(-k)) / k
        mean = (1 - (1 + k) * mp.exp(-k)) / k**2
        return Integral(f"exp(-{c}*(x+y));x*exp(-{c}*(x+y))", [("0", "1")] * 2, [once**2, once * mean])
    a, b = draw.number(-2, 0.5, 1), draw.number(0.8, 3, 1)
    power = lambda n: (mpf(b) ** (n + 1) - mpf(a) ** (n + 1)) / (n + 1)
    return Integral(
        "1+x+y;x^2+y^2;x^4",
        [(a, b)] * 2,
        [power(0) ** 2 + 2 * power(0) * power(1), 2 * power(0) * power(2), power(0) * power(4)],
    )
