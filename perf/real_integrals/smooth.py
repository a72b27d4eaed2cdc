"""Kinds of integrals without poles: tails, heavy tails, Gaussians, oscillation, cuts, narrow peaks, zero, constants."""

from integral import Factor, Integral, decimal, inf, product, scientific
from mpmath import mp, mpf

LINE = (f"-{inf}", inf)


def minus(x, centre):
    """x - centre as text."""
    if centre == "0":
        return x
    return f"({x}+{centre[1:]})" if centre[0] == "-" else f"({x}-{centre})"


def times(coefficient, text):
    return text if coefficient == "1" else f"-{text}" if coefficient == "-1" else f"{coefficient}*{text}"


def normal_above(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def tails(draw):
    """exp(b.x) times a normal density, written as a product: inf * 0 far out."""
    if draw.chance(0.15):
        return option(draw)
    d = draw.whole(1, 6)
    names = draw.names(d)
    if draw.chance(0.3):
        b = [draw.number(-2, 2, 1) for _ in names]
        while all(each == "0" for each in b):
            b = [draw.number(-2, 2, 1) for _ in names]
        slope = "".join(("+" if each[0] != "-" else "") + times(each, x) for each, x in zip(b, names) if each != "0")
        text = f"exp({slope.lstrip('+')})*exp(-({'+'.join(f'{x}^2' for x in names)})/2)"
        truth = mp.exp(sum(mpf(each) ** 2 for each in b) / 2) * (2 * mp.pi) ** (mpf(d) / 2)
        again = lambda: mp.fprod(
            mp.quad(lambda x, b=mpf(each): mp.exp(b * x - x * x / 2), [-mp.inf, 0, mp.inf]) for each in b
        )
        if draw.chance(0.4):
            text, truth, whole = text + f"/(2*pi)^{decimal(d / 2, 1)}", truth / (2 * mp.pi) ** (mpf(d) / 2), again
            again = lambda: whole() / (2 * mp.pi) ** (mpf(d) / 2)
        return Integral(text, [LINE] * d, truth, again=again)
    return product([tail(draw, x) for x in names])


def tail(draw, x):
    """exp(b x) times a Gaussian over a line, or over half of it."""
    b = draw.number(-2, 2, 1) if draw.chance(0.7) else draw.number(2, 6, 1)
    b = "1" if b == "0" else b
    m = draw.number(-2, 2, 1) if draw.chance(0.3) else "0"
    s = draw.number(0.3, 2, 1) if draw.chance(0.4) else "1"
    gauss = f"exp(-{minus(x, m)}^2/{'2' if s == '1' else f'(2*{s}^2)'})"
    text = f"exp({times(b, x)})*{gauss}"
    beta, mu, sigma = mpf(b), mpf(m), mpf(s)
    value = mp.sqrt(2 * mp.pi) * sigma * mp.exp(beta * mu + (beta * sigma) ** 2 / 2)
    if draw.chance(0.25):
        text, value = text + "/sqrt(2*pi)", value / mp.sqrt(2 * mp.pi)
    peak = mu + beta * sigma**2
    points = (mp.nstr(peak - 3 * sigma), mp.nstr(peak), mp.nstr(peak + 3 * sigma))
    if draw.chance(0.2):
        points = tuple(p for p in points if mpf(p) > 0)
        return Factor(text, "0", inf, value * normal_above(-peak / sigma), points)
    return Factor(text, *LINE, value, points)


def option(draw):
    """The price of an option on a stock whose logarithm is normal: Black and Scholes."""
    x = draw.names(1)[0]
    v, k = draw.number(0.1, 1.5), draw.number(0.5, 2)
    text = f"max(exp({v}*{x}-{v}^2/2)-{k},0)*exp(-{x}^2/2)/sqrt(2*pi)"
    sigma, strike = mpf(v), mpf(k)
    root = (mp.log(strike) + sigma**2 / 2) / sigma
    truth = normal_above(root - sigma) - strike * normal_above(root)
    f = lambda z: (mp.exp(sigma * z - sigma**2 / 2) - strike) * mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
    return Integral(text, [LINE], truth, again=lambda: mp.quad(f, [root, root + 2, root + 5, mp.inf]))


def heavy(draw):
    """Student's t and Cauchy's densities, products over R^d and multivariate, not always normalised."""
    d = draw.whole(1, 4)
    names = draw.names(d)
    if d > 1 and draw.chance(0.3):
        nu = draw.whole(1, 6)
        power = decimal((nu + d) / 2, 1)
        text = f"(1+({'+'.join(f'{x}^2' for x in names)})/{nu})^-{power}"
        truth = mp.gamma(mpf(nu) / 2) / mp.gamma(mpf(nu + d) / 2) * (nu * mp.pi) ** (mpf(d) / 2)
        sphere = 2 * mp.pi ** (mpf(d) / 2) / mp.gamma(mpf(d) / 2)
        radial = lambda r: sphere * r ** (d - 1) * (1 + r * r / nu) ** -mpf(power)
        return Integral(text, [LINE] * d, truth, again=lambda: mp.quad(radial, [0, 1, 10, mp.inf]))

    def factor(x):
        m = draw.number(-5, 5, 1) if draw.chance(0.4) else "0"
        if draw.chance(0.5):
            s = draw.number(0.2, 3, 1)
            return Factor(f"1/(1+({minus(x, m)}/{s})^2)", *LINE, mp.pi * mpf(s), (m,))
        nu = draw.whole(1, 6)
        n = mpf(nu)
        value = mp.gamma(n / 2) / mp.gamma((n + 1) / 2) * mp.sqrt(n * mp.pi)
        return Factor(f"(1+{minus(x, m)}^2/{nu})^-{decimal((nu + 1) / 2, 1)}", *LINE, value, (m,))

    return product([factor(x) for x in names])


def gaussians(draw):
    """Correlated Gaussians exp(-x.A x) over R^d, or over boxes that hold all but 1e-20 of them."""
    d = draw.whole(2, 5)
    names = draw.names(d)
    diagonal = [draw.number(0.5, 3, 1) for _ in names]
    a = mp.matrix(d, d)
    terms = [f"{times(each, x)}^2" for each, x in zip(diagonal, names)]
    for i in range(d):
        a[i, i] = mpf(diagonal[i])
    for i in range(d):
        for j in range(i + 1, d):
            if j == i + 1 or draw.chance(0.3):
                # the sum of all couplings of a variable is below its diagonal
                limit = min(float(diagonal[i]), float(diagonal[j])) * (0.95 if d == 2 else 0.9 / (d - 1)) * 2
                c = draw.number(-limit, limit, 2)
                if c != "0":
                    terms.append(f"{times(c, names[i])}*{names[j]}")
                    a[i, j] = a[j, i] = mpf(c) / 2
    centre = [draw.number(-3, 3, 1) if draw.chance(0.2) else "0" for _ in names]
    text = "+".join(terms).replace("+-", "-")
    for x, c in zip(names, centre):
        text = text.replace(x, minus(x, c))
    truth = mp.sqrt(mp.pi**d / mp.det(a))
    sides = [LINE] * d
    if draw.chance(0.3):
        inverse = a**-1
        sides = [
            (f"{int(mp.floor(mpf(c) - r))}", f"{int(mp.ceil(mpf(c) + r))}")
            for c, r in ((centre[i], 9.5 * mp.sqrt(inverse[i, i] / 2) + draw.uniform(0, 20)) for i in range(d))
        ]

    def again():
        # one variable after the other, by completing squares
        form, found = a.copy(), mpf(1)
        for k in range(d):
            found *= mp.sqrt(mp.pi / form[k, k])
            for i in range(k + 1, d):
                for j in range(k + 1, d):
                    form[i, j] -= form[i, k] * form[k, j] / form[k, k]
        return found

    return Integral(f"exp(-({text}))", sides, truth, again=again)


def oscillation(draw):
    """1 + cos(w.x) over the unit box, w up to 300."""
    d = draw.whole(1, 4)
    names = draw.names(d)
    most = draw.pick([10, 50, 300])
    w = [draw.number(most / 20, most, 1) for _ in names]
    c = draw.number(0, 6) if draw.chance(0.3) else "0"
    waves, shift = "+".join(times(k, x) for k, x in zip(w, names)), mpf(c)
    wave = draw.pick(["cos", "sin"])
    text = f"1+{wave}({waves}{'+' + c if c != '0' else ''})"
    wanted = mp.re if wave == "cos" else mp.im
    truth = 1 + wanted(mp.expj(shift) * mp.fprod((mp.expj(mpf(k)) - 1) / (1j * mpf(k)) for k in w))
    sinc = lambda k: mp.sin(k / 2) / (k / 2)
    phase = shift + sum(mpf(k) for k in w) / 2
    again = lambda: 1 + (mp.cos if wave == "cos" else mp.sin)(phase) * mp.fprod(sinc(mpf(k)) for k in w)
    return Integral(text, [("0", "1")] * d, truth, again=again)


def narrow(draw):
    """A peak far narrower than the box, beside a smooth function, in one and two variables. 1e5 points in one variable,
    1000 x 1000 in two, spread evenly on finite sides and by logarithms from the end on infinite ones, see it."""
    d = draw.whole(1, 2)
    names = draw.names(d)
    infinite = draw.chance(0.5)
    form = draw.pick(["gauss", "gauss", "lorentz", "exp"])
    inner, sides, peaks, smooth_parts = [], [], [], []
    for x in names:
        if infinite:
            low, gap = draw.number(0, 3, 0), draw.log_number(1e-3 if d == 1 else 1e-2, 30, 3)
            u = decimal(float(low) + float(gap), 6 if float(gap) < 1 else 3)
            distance = float(u) - float(low)
            w = draw.log_number(distance * (0.02 if d == 1 else 0.05), distance * 0.2)
            sides.append((low, inf))
            smooth_parts.append((f"1/(1+{x})^2", 1 / (1 + mpf(low))))
        else:
            low = draw.number(-2, 2, 0)
            length = draw.pick(["1", "2", "5", "10"])
            u = decimal(float(low) + float(length) * draw.uniform(0.02, 0.98), 5)
            w = draw.log_number(float(length) * (3e-5 if d == 1 else 3e-3), float(length) * (3e-3 if d == 1 else 2e-2))
            sides.append((low, decimal(float(low) + float(length), 0)))
            smooth_parts.append((f"cos({x}/4)", 4 * (mp.sin(mpf(sides[-1][1]) / 4) - mp.sin(mpf(low) / 4))))
        inner.append((x, u, w))
        peaks.append(peak_integral(form, mpf(u), mpf(w), *map(mpf, sides[-1])))
    scaled = [f"({minus(x, u)}/{w})" for x, u, w in inner]
    if form == "gauss":
        peak = f"exp(-{scaled[0]}^2)" if d == 1 else f"exp(-({'+'.join(f'{each}^2' for each in scaled)}))"
    elif form == "lorentz":
        peak = "/".join(["1"] + [f"(1+{each}^2)" for each in scaled])
    else:
        peak = "exp(-" + "-".join(f"abs({each[1:-1]})" for each in scaled) + ")"
    background = mp.fprod(value for _, value in smooth_parts)
    bump = mp.fprod(peaks)
    ratio = 10 ** draw.uniform(-1, 3 if draw.chance(0.7) else 13)
    height = scientific(float(abs(background / bump)) * ratio, 1)
    text = f"{'*'.join(part for part, _ in smooth_parts)}+{height}*{peak}"
    truth = background + mpf(height) * bump

    def again():
        base = product([Factor(part, *side, value) for (part, value), side in zip(smooth_parts, sides)]).again()
        found = mpf(1)
        for (x, u, w), side in zip(inner, sides):
            each = {"gauss": f"exp(-({minus(x, u)}/{w})^2)", "lorentz": f"1/(1+({minus(x, u)}/{w})^2)"}.get(
                form, f"exp(-abs({minus(x, u)}/{w}))"
            )
            low, high = mpf(u) - 9 * mpf(w), mpf(u) + 9 * mpf(w)
            cuts = tuple(mp.nstr(p, 20) for p in (low, mpf(u), high) if mpf(side[0]) < p < mpf(side[1]))
            found *= product([Factor(each, *side, mpf(0), cuts)]).again()
        return base + mpf(height) * found

    return Integral(text, sides, truth, again=again)


def peak_integral(form, u, w, low, high):
    """The integral of a peak of height 1 at u, w wide, from low to high."""
    a, b = (low - u) / w, (high - u) / w
    if form == "gauss":
        return w * mp.sqrt(mp.pi) / 2 * (mp.erf(b) - mp.erf(a))
    if form == "lorentz":
        return w * (mp.atan(b) - mp.atan(a))
    return w * (2 - mp.exp(a) - mp.exp(-b))


def constants(draw):
    """Constants over boxes of all sizes, in up to six variables."""
    d = draw.whole(1, 6)
    names = draw.names(d)
    c = draw.pick(["1", "2", "pi", draw.number(-9, 9), draw.log_number(1e-9, 1e9)])
    c = "3" if c == "0" else c
    sides = []
    for _ in names:
        low = draw.number(-5, 5, 1) if draw.chance(0.5) else "0"
        sides.append((low, decimal(float(low) + float(draw.number(0.1, 4, 1)), 1)))
    text = draw.pick([c, c, f"{c}+0*{names[-1]}", f"{c}*{names[0]}^0"])
    volume = mp.fprod(mpf(high) - mpf(low) for low, high in sides)
    return Integral(text, sides, (+mp.pi if c == "pi" else mpf(c)) * volume)
