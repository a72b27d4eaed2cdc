"""Kinds of integrals with poles: at ends, inside, at points, on diagonals, between pairs of particles."""

from integral import Factor, Integral, decimal, inf, product
from mpmath import mp, mpf


def power(base, a, draw):
    """base^-a in one of the ways in which people write it."""
    if a == "0.5" and draw.chance(0.7):
        return f"1/sqrt({base})"
    base = base if base.isalnum() or base.startswith("abs(") else f"({base})"
    return f"1/{base}^{a}" if draw.chance(0.25) else f"{base}^-{a}"


def exponent(draw):
    return draw.pick(["0.25", "0.5", "0.75", "0.9"]) if draw.chance(0.4) else draw.number(0.25, 0.9)


def upper_end(draw):
    """prod (1-x_i)^-a_i over the unit box."""

    def factor(x):
        a = exponent(draw)
        return Factor(power(f"1-{x}", a, draw), "0", "1", 1 / (1 - mpf(a)))

    return product([factor(x) for x in draw.names(draw.whole(1, 3))])


def lower_end(draw):
    """prod x_i^-a_i over the unit box."""

    def factor(x):
        a = exponent(draw)
        return Factor(power(x, a, draw), "0", "1", 1 / (1 - mpf(a)))

    return product([factor(x) for x in draw.names(draw.whole(1, 4))])


def inside(draw):
    """prod |x_i-u_i|^-a_i over the unit box, u inside."""

    def factor(x):
        a, u = exponent(draw), draw.number(0.03, 0.97, 3)
        rest = 1 - mpf(a)
        value = (mpf(u) ** rest + (1 - mpf(u)) ** rest) / rest
        return Factor(power(f"abs({x}-{u})", a, draw), "0", "1", value, (u,))

    return product([factor(x) for x in draw.names(draw.whole(1, 4))])


def smooth(draw, x):
    """A factor that any method integrates at once, over 0:1."""
    c = draw.number(0.2, 3, 1)
    k = mpf(c)
    return draw.pick(
        [
            Factor(f"exp(-{c}*{x})", "0", "1", (1 - mp.exp(-k)) / k),
            Factor(f"cos({c}*{x})", "0", "1", mp.sin(k) / k),
            Factor(f"(1+{c}*{x})", "0", "1", 1 + k / 2),
            Factor(f"1/(1+{c}*{x}^2)", "0", "1", mp.atan(mp.sqrt(k)) / mp.sqrt(k)),
        ]
    )


def between(a, sides):
    """The integral of |x-y|^-a over two sides, from its second antiderivative."""
    a = mpf(a)
    (p, q), (r, s) = ((mpf(each) for each in side) for side in sides)
    second = lambda t: abs(t) ** (2 - a) / ((1 - a) * (2 - a))
    return second(q - r) - second(p - r) - second(q - s) + second(p - s)


def diagonal(draw):
    """|x1-x2|^-a times smooth factors in the other variables."""
    d = draw.whole(2, 5)
    names = draw.names(d)
    a = draw.pick(["0.25", "0.5", "0.75"]) if draw.chance(0.4) else draw.number(0.25, 0.75)
    sides = [("0", "1"), ("0", "1")]
    if draw.chance(0.3):
        sides = [(draw.pick(["0", "-1"]), draw.number(0.5, 2, 1)) for _ in range(2)]
    others = [smooth(draw, x) for x in names[2:]]
    rest = product(others) if others else Integral("", [], mpf(1))
    i, j = draw.pick([(0, 1), (1, 0)])
    text = power(f"abs({names[i]}-{names[j]})", a, draw)
    integral = Integral(
        "*".join([text] + [each.text for each in others]), sides + rest.box, between(a, sides) * rest.truth
    )

    def again():
        # over y in closed form, then over x by quadrature
        p = 1 - mpf(a)
        (l, u), (r, s) = ((mpf(each) for each in side) for side in sides)
        signed = lambda t: mp.sign(t) * abs(t) ** p / p
        points = sorted({l, u} | {t for t in (r, s) if l < t < u})
        return mp.quad(lambda x: signed(x - r) - signed(x - s), points) * rest.truth

    integral.again = again
    return integral


def distance(names, others):
    return "+".join(f"({x}-{y})^2" if y != "0" else f"{x}^2" for x, y in zip(names, others))


def by_gaussians(a, d, of_width):
    """The integral of r^-a in d variables from that of exp(-t r^2), which is given as a function of t:
    r^-a = 1/Gamma(a/2) int t^(a/2-1) exp(-t r^2) dt. With t = exp(s) the trapezoidal rule of step h has an error of
    exp(-pi^2/h), as the integrand is analytic where |Im s| < pi/2."""
    a, step, digits = mpf(a), mpf("0.2"), 18 * mp.log(10)
    first, last = (int(mp.ceil(2 * digits / (rate * step))) for rate in (a, d - a))
    total = mpf(0)
    with mp.workdps(25):
        for k in range(-first, last + 1):
            total += mp.exp(k * step * a / 2) * of_width(mp.exp(k * step))
    return step * total / mp.gamma(a / 2)


def pair_of_sides(side, other):
    """The integral of exp(-t (x-y)^2) over two sides, as a function of t."""
    (p, q), (r, s) = ((mpf(each) for each in pair) for pair in (side, other))

    def value(t):
        root = mp.sqrt(t)
        second = lambda z: z * mp.sqrt(mp.pi) / (2 * root) * mp.erf(root * z) + mp.exp(-t * z * z) / (2 * t)
        if t * max(abs(q - r), abs(s - p)) ** 2 < mpf(10) ** -5:  # the four terms would cancel
            power = lambda n: ((q - r) ** n - (p - r) ** n - (q - s) ** n + (p - s) ** n) / (n * (n - 1))
            return power(2) - t * power(4) + t * t / 2 * power(6) - t**3 / 6 * power(8)
        return second(q - r) - second(p - r) - second(q - s) + second(p - s)

    return value


def pairs(draw):
    """1/|r1-r2| over cubes or with Gaussians or exponentials over all space."""
    form = draw.pick(["cubes", "cubes", "gaussians", "gaussians", "helium", "squares", "planes"])
    n = 2 if form in ("squares", "planes") else 3
    names = [f"x{i + 1}" for i in range(2 * n)]
    first, second = names[:n], names[n:]
    over = f"/sqrt({distance(first, second)})"
    if form in ("cubes", "squares"):
        length, corner = draw.number(0.3, 3, 1), draw.pick(["0", "0", draw.number(-3, 3, 1)])
        sides = [(corner, decimal(float(corner) + float(length), 1))] * (2 * n)
        unit = cube_with_itself() if n == 3 else square_with_itself()

        def again():
            each = [pair_of_sides(sides[i], sides[n + i]) for i in range(n)]
            return by_gaussians("1", n, lambda t: mp.fprod(h(t) for h in each))

        return Integral("1" + over, sides, unit * mpf(length) ** (2 * n - 1), again=again)
    space = [(f"-{inf}", inf)] * (2 * n)
    if form == "helium":
        zeta = draw.number(0.5, 3, 1)
        r = [f"sqrt({'+'.join(f'{x}^2' for x in xs)})" for xs in (first, second)]
        truth = 20 * mp.pi**2 / mpf(zeta) ** 5

        def again():
            # the potential of a cloud exp(-z r) is (4 pi / z^3) (2/r - exp(-z r) (z + 2/r))
            z = mpf(zeta)
            potential = lambda s: 4 * mp.pi / z**3 * (2 / s - mp.exp(-z * s) * (z + 2 / s))
            return mp.quad(lambda s: 4 * mp.pi * s**2 * mp.exp(-z * s) * potential(s), [0, 1, 5, mp.inf])

        return Integral(f"exp(-{zeta}*({r[0]}+{r[1]})){over}", space, truth, again=again)
    alpha, beta = draw.number(0.3, 2, 1), draw.number(0.3, 2, 1)
    a, b = mpf(alpha), mpf(beta)
    shift = draw.number(0.1, 2, 1) if n == 3 and draw.chance(0.4) else "0"
    mu = a * b / (a + b)
    squares = (
        lambda xs, last: "+".join(f"{x}^2" for x in xs[:-1])
        + "+"
        + (f"({xs[-1]}-{last})^2" if last != "0" else f"{xs[-1]}^2")
    )
    text = f"exp(-{alpha}*({squares(first, '0')})-{beta}*({squares(second, shift)})){over}"
    outer = (mp.pi / (a + b)) ** (mpf(n) / 2)
    if n == 2:
        truth = outer * mp.pi ** mpf(1.5) / mp.sqrt(mu)
    elif shift == "0":
        truth = outer * 2 * mp.pi / mu
    else:
        truth = outer * mp.pi ** mpf(1.5) / mu ** mpf(1.5) * mp.erf(mp.sqrt(mu) * mpf(shift)) / mpf(shift)

    def again():
        # exp(-t r^2) with two Gaussians: the determinant of one axis' quadratic form, and its least value
        def of_width(t):
            det = a * b + (a + b) * t
            least = mpf(shift) ** 2 * a * b * t / det
            return (mp.pi / mp.sqrt(det)) ** n * mp.exp(-least)

        return by_gaussians("1", n, of_width)

    return Integral(text, space, truth, again=again)


def cube_with_itself():
    """The integral of 1/|r1-r2| over the unit cube twice: Bailey, Borwein, Crandall, Box integrals, 2007."""
    root2, root3 = mp.sqrt(2), mp.sqrt(3)
    return (
        mpf(2) / 5 * (1 + root2 - 2 * root3)
        - 2 * mp.pi / 3
        + 2 * mp.log(1 + root2)
        + 12 * mp.log((1 + root3) / root2)
        - 4 * mp.log(2 + root3)
    )


def square_with_itself():
    """The same for the unit square: 4 log(1+sqrt 2) - 4/3 (sqrt 2 - 1)."""
    return 4 * mp.log(1 + mp.sqrt(2)) - mpf(4) / 3 * (mp.sqrt(2) - 1)


def point(draw):
    """|x-u|^-a in two and three variables, u inside, on a face or in a corner."""
    d = draw.whole(2, 3)
    names = draw.names(d)
    a = draw.pick(["0.5", "1", "1.5"]) if draw.chance(0.4) else draw.number(0.25, 1.75 if d == 2 else 2.5)
    where = draw.pick(["inside", "face", "corner"])
    u = [draw.number(0.1, 0.9, 3) for _ in range(d)]
    if where == "face":
        u[draw.whole(0, d - 1)] = draw.pick(["0", "1"])
    elif where == "corner":
        u = [draw.pick(["0", "1"]) for _ in range(d)]
    square = distance(names, u)
    half = mpf(a) / 2
    if a == "1":
        text = f"1/sqrt({square})"
    elif draw.chance(0.5):
        text = f"sqrt({square})^-{a}"
    else:
        text = f"({square})^-{mp.nstr(half, 6)}"

    def along(v):
        """The integral of exp(-t (x-v)^2) over 0:1."""
        v = mpf(v)
        return lambda t: mp.sqrt(mp.pi / t) / 2 * (mp.erf(mp.sqrt(t) * v) + mp.erf(mp.sqrt(t) * (1 - v)))

    each = [along(v) for v in u]
    truth = by_gaussians(a, d, lambda t: mp.fprod(g(t) for g in each))

    def again():
        """By the divergence theorem: div(r r^-a) = (d-a) r^-a, so faces, at their distances from u, are enough."""
        f = lambda *x: sum((xi - mpf(ui)) ** 2 for xi, ui in zip(x, u)) ** -half
        total = mpf(0)
        for i in range(d):
            for end in (0, 1):
                height = abs(end - mpf(u[i]))
                if height:
                    free = [sorted({mpf(0), mpf(u[k]), mpf(1)}) for k in range(d) if k != i]
                    total += height * mp.quad(lambda *x, i=i, end=end: f(*x[:i], mpf(end), *x[i:]), *free)
        return total / (d - mpf(a))

    return Integral(text, [("0", "1")] * d, truth, again=again)
