#!/usr/bin/env python3
"""Makes the generating vector of algorithms/src/quasi_monte_carlo/generating_vector.cpp; needs NumPy, 4 GB and about two minutes.

An embedded lattice sequence in base 2: one vector z of odd numbers whose lattices {k z / 2^m + shift} are good for all
m. The figure of merit is the squared worst-case error in the Korobov space of smoothness 2 with product weights
gamma_j,

    e2(m) = -1 + 2^-m sum_k prod_j (1 + gamma_j omega({k z_j / 2^m})),    omega(x) = 2 pi^2 (x^2 - x + 1/6).

Up to m = --fast the components are chosen one by one among all odd numbers. With k and z written as +-5^a mod 2^j, the
sums over the k that have j bits are cyclic correlations of length 2^(j-2), computed by the fast Fourier transform
(Nuyens and Cools, Math. Comp. 75 (2006) 903), and they serve all m >= j. A component minimises the largest quotient,
over m from 10, of e2(m) and the smallest e2(m) that any choice has for this m (after Cools, Kuo and Nuyens, SIAM J.
Sci. Comput. 28 (2006) 2162, who divide by the errors of lattices made for each m alone).

A doubling gives every component one more bit, after which half of the dual vectors, the h with h z = 0 mod 2^m that
cause the error, are no longer dual. From --fast to --most the bits are chosen to eliminate the short ones: among all
choices for the first eight components, and then among all for the others, that with the smallest sum of prod
size(h_j)^-2 over short dual vectors, where size is 1.25 |h_j| for the first eight variables and j |h_j| / 4 for the
others. For the first eight, a second list has size max(1, |h_j| / 3) to the power -3, for integrands that oscillate or
are periodised by Korobov's polynomials: vectors that are small in all their variables have equal weights. Short vectors
are found from pairs of crosses, each in half of the variables. A figure of merit that sums over points does not see
these vectors: their share is small, until an integrand is smoother than the figure of merit assumes, and its error
stagnates while points are doubled. The bits beyond --most are those of a random number.

--extend N reads a vector from standard input, as this program writes it, and writes the components that follow, up to
N in all. Products over hundreds of variables say nothing: of each new component only its pairs with all earlier ones
count (weights of order two), with the weights --pairs,

    sum over i < s of gamma_i 2^-m sum_k omega({k z_i / 2^m}) omega({k z_s / 2^m}).

Up to m = --extend-fast a component minimises the largest quotient, over m from --extend-least, of this and its smallest
value for that m. Its bits beyond are random.
"""
import argparse
import sys
import time

import numpy as np

MASK = (1 << 64) - 1


def omega(x):
    return 2 * np.pi**2 * (x * x - x + 1 / 6)


def powers_of_five(j):
    """5^a mod 2^j, a = 0 ... 2^(j-2) - 1, by doubling."""
    out = np.ones(1, dtype=np.uint64)
    factor = 5
    while len(out) < 1 << (j - 2):
        out = np.concatenate([out, (out * np.uint64(factor)) & np.uint64((1 << j) - 1)])
        factor = factor * factor % (1 << j)
    return out


def fast(gammas, least, most):
    """Components mod 2^most, as logarithms to base 5."""
    levels = range(2, most + 1)
    om = {j: omega(powers_of_five(j) / 2.0**j) for j in levels}
    transformed = {j: np.fft.rfft(om[j]) for j in levels}
    product = {j: np.ones(1 << (j - 2)) for j in levels}
    ends = [1.0, 1.0]  # for k = 0 and k = 2^(m-1)
    chosen = []
    for s, gamma in enumerate(gammas):
        total = gamma * (ends[0] * omega(0) + ends[1] * omega(0.5))
        before = ends[0] + ends[1]
        sums = np.array([total])
        worst = np.zeros(1)
        for j in levels:
            n = 1 << (j - 2)
            correlation = np.fft.irfft(transformed[j] * np.conj(np.fft.rfft(product[j])), n) if n > 1 else \
                om[j] * product[j]
            before += 2 * product[j].sum()
            if len(sums) < n:
                sums, worst = np.tile(sums, 2), np.tile(worst, 2)
            sums = sums + 2 * gamma * correlation
            if j >= least:
                merit = before - 2.0**j + sums
                worst = np.maximum(worst, merit / merit.min())
        b = int(np.argmin(worst)) if s else 0
        print(f"component {s + 1}: at most {worst[b]:.4f} times the best for any m", file=sys.stderr)
        chosen.append(b)
        for j in levels:
            product[j] *= 1 + gamma * np.roll(om[j], -(b % (1 << (j - 2))))
        ends[0] *= 1 + gamma * omega(0)
        ends[1] *= 1 + gamma * omega(0.5)
    return [pow(5, b, 1 << most) for b in chosen]


def extend(z, gammas, least, most):
    """Components mod 2^most after those of z, chosen by their pairs with all earlier ones."""
    levels = range(2, most + 1)
    om = {j: omega(powers_of_five(j) / 2.0**j) for j in levels}
    transformed = {j: np.fft.rfft(om[j]) for j in levels}
    logarithms = {int(x): a for a, x in enumerate(powers_of_five(most))}
    earlier = {j: np.zeros(1 << (j - 2)) for j in levels}
    ends = [0.0, 0.0]
    modulus = 1 << most
    chosen = []
    for s, gamma in enumerate(gammas):
        if s < len(z):
            x = z[s] % modulus
            b = logarithms[x if x % 4 == 1 else modulus - x]
        else:
            sums = np.array([ends[0] * omega(0) + ends[1] * omega(0.5)])
            worst = np.zeros(1)
            for j in levels:
                n = 1 << (j - 2)
                correlation = np.fft.irfft(transformed[j] * np.conj(np.fft.rfft(earlier[j])), n) if n > 1 else \
                    om[j] * earlier[j]
                if len(sums) < n:
                    sums, worst = np.tile(sums, 2), np.tile(worst, 2)
                sums = sums + 2 * correlation
                if j >= least:
                    worst = np.maximum(worst, sums / sums.min())
            b = int(np.argmin(worst))
            if (s + 1) % 50 == 0:
                print(f"component {s + 1}: at most {worst[b]:.4f} times the best for any m", file=sys.stderr)
            chosen.append(pow(5, b, modulus))
        for j in levels:
            earlier[j] += gamma * np.roll(om[j], -(b % (1 << (j - 2))))
        ends[0] += gamma * omega(0)
        ends[1] += gamma * omega(0.5)
    return chosen


def merits(z, gammas, most, block=1 << 20):
    """e2 by dimension (rows) and m = 1 ... most (columns)."""
    sums = np.zeros((len(z), most + 1))
    for m in range(1, most + 1):
        count = max(1, (1 << m) >> 2)  # odd k below 2^(m-1); those above are mirror images
        for begin in range(0, count, block):
            k = 2 * np.arange(begin, min(begin + block, count), dtype=np.uint64) + np.uint64(1)
            p = np.ones(len(k))
            for s, (zs, gamma) in enumerate(zip(z, gammas)):
                p *= 1 + gamma * omega((k * np.uint64(zs) << np.uint64(64 - m)) * 2.0**-64)
                sums[s, m] += (2 if m > 1 else 1) * p.sum()
    sums[:, 0] = np.cumprod([1 + gamma * omega(0) for gamma in gammas])
    return np.cumsum(sums, axis=1)[:, 1:] / 2.0 ** np.arange(1, most + 1) - 1


def cross(z, sizes, reach, limit):
    """The h whose prod of size_j(|h_j|) over h_j != 0 is at most `reach`: h, these products, and h z mod 2^64; None if
    there are more than `limit`."""
    h, product, at = np.zeros((1, len(z)), dtype=np.int16), np.ones(1), np.zeros(1, dtype=np.uint64)
    for j, (zj, size) in enumerate(zip(z, sizes)):
        order = np.argsort(product, kind="stable")
        h, product, at = h[order], product[order], at[order]
        parts = [(h, product, at)]
        v = 1
        while size(v) <= reach:
            n = int(np.searchsorted(product, reach / size(v), side="right"))
            for sign in 1, -1:
                moved = h[:n].copy()
                moved[:, j] = sign * v
                parts.append((moved, product[:n] * size(v), at[:n] + np.uint64(sign * v * zj & MASK)))
            v += 1
        h, product, at = (np.concatenate(of) for of in zip(*parts))
        if len(h) > limit:
            return None
    return h, product, at


def largest_cross(z, sizes, limit):
    reach = 8192.0
    while (found := cross(z, sizes, reach, limit)) is None:
        reach /= 1.25
    return found


def dual_vectors(z, sizes, split, m, limit):
    """Short h with h z = 0 mod 2^m, one of h and -h, and their products: all pairs from a cross in the first variables
    and one in the others that add up to such an h."""
    h1, product1, at1 = largest_cross(z[:split], sizes[:split], limit)
    h2, product2, at2 = largest_cross(z[split:], sizes[split:], limit)
    mask = np.uint64((1 << m) - 1)
    wanted, given = at1 & mask, (np.uint64(0) - at2) & mask
    order = np.argsort(given, kind="stable")
    given, h2, product2 = given[order], h2[order], product2[order]
    first = np.searchsorted(given, wanted, "left")
    count = np.searchsorted(given, wanted, "right") - first
    one = np.repeat(np.arange(len(wanted)), count)
    other = np.arange(len(one)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    h = np.concatenate([h1[one], h2[other]], axis=1)
    leading = h[np.arange(len(h)), (h != 0).argmax(axis=1)]
    return h[leading > 0], (product1[one] * product2[other])[leading > 0]


def inner(h, z):
    """h z mod 2^64."""
    at = np.zeros(len(h), dtype=np.uint64)
    for j, zj in enumerate(z):
        at += h[:, j].astype(np.int64).view(np.uint64) * np.uint64(zj)
    return at


def choose_bits(lists, z, begin, end, m):
    """Bit m - 1 of the components begin ... end - 1, chosen so that the sum of product^-power over the vectors that
    remain dual is smallest, summed over lists of (h, product, power) with equal weights. A vector remains dual if h z /
    2^(m-1) is even, and each bit changes that if h_j is odd. All choices are evaluated at once, by Walsh's
    transform."""
    n = end - begin
    stays = np.zeros(1 << n)
    for h, product, power in lists:
        odd = (inner(h, z) >> np.uint64(m - 1) & np.uint64(1)).astype(bool)
        which = ((h[:, begin:end] & 1).astype(np.int64) << np.arange(n)).sum(axis=1)
        weight = product**-power
        if len(h):
            stays += np.bincount(which, np.where(odd, -weight, weight) / weight.sum(), 1 << n)
    step = 1
    while step < 1 << n:
        pairs = stays.reshape(-1, 2, step)
        stays = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        step *= 2
    best = int(np.argmin(stays))
    return [zj | (best >> j - begin & 1) << m - 1 if begin <= j < end else zj for j, zj in enumerate(z)]


def still_dual(lists, z, m):
    out = []
    for h, product, power in lists:
        kept = inner(h, z) & np.uint64((1 << m) - 1) == 0
        out.append((h[kept], product[kept], power))
    return out


def more_bits(z, first, last, few=8, limit=3_000_000):
    """z mod 2^last from z mod 2^first. The first few components are chosen regardless of the others."""
    few = min(few, len(z))
    steep, flat = [lambda v: 1.25 * v] * few, [lambda v: max(1.0, v / 3)] * few
    others = [lambda v, j=j: 2.0 * j / few * v for j in range(few + 1, len(z) + 1)]
    low = [(*dual_vectors(z[:few], sizes, few // 2, first, limit), power) for sizes, power in ((steep, 2), (flat, 3))]
    high = [(*dual_vectors(z, steep + others, few, first, limit), 2)] if others else []
    for m in range(first + 1, last + 1):
        z = choose_bits(low, z[:few], 0, few, m) + z[few:]
        low = still_dual(low, z[:few], m)
        if others:
            z = choose_bits(high, z, few, len(z), m)
            high = still_dual(high, z, m)
        for h, product, _ in low + high:
            print(f"m = {m}, {h.shape[1]} variables: {len(h)} dual vectors, {np.sort(product)[:3]}", file=sys.stderr)
    return z


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=20)
    parser.add_argument("--weights", default="0.3 / j**0.3", help="gamma_j, j = 1, 2, ...")
    parser.add_argument("--least", type=int, default=10)
    parser.add_argument("--fast", type=int, default=24)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--merits", type=int, default=24, help="figures of merit up to this m")
    parser.add_argument("--extend", type=int, help="the number of components of a longer vector")
    parser.add_argument("--extend-least", type=int, default=8)
    parser.add_argument("--extend-fast", type=int, default=24)
    parser.add_argument("--pairs", default="j**-0.5", help="gamma_j of pairs, j = 1, 2, ...")
    given = parser.parse_args()
    if given.extend:
        begin = [int(word, 16) for word in sys.stdin.read().split() if word.startswith("0x")]
        gammas = [float(eval(given.pairs, {"j": j})) for j in range(1, given.extend + 1)]
        random = np.random.default_rng(2)
        for zs in extend(begin, gammas, given.extend_least, given.extend_fast):
            print(f"0x{zs | int(random.integers(1 << 62)) << given.extend_fast & MASK:016x}")
        return
    gammas = [float(eval(given.weights, {"j": j})) for j in range(1, given.dimensions + 1)]
    start = time.time()
    z = fast(gammas, given.least, given.fast)
    for begin in range(given.fast, given.most, 8):
        z = more_bits(z, begin, min(begin + 8, given.most))
        print(f"m = {min(begin + 8, given.most)} after {time.time() - start:.0f} s", file=sys.stderr)
    random = np.random.default_rng(1)
    z = [(zs | int(random.integers(1 << 62)) << given.most) & MASK for zs in z]
    print("weights", " ".join(f"{g:.17g}" for g in gammas))
    for zs in z:
        print(f"0x{zs:016x}")
    for d, row in enumerate(merits(z, gammas, given.merits), 1):
        print(f"e2 in {d} dimensions:", " ".join(f"{x:.6e}" for x in row))


if __name__ == "__main__":
    main()
