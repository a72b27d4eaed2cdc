#!/usr/bin/env python3
"""Makes the generating vector of algorithms/src/generating_vector.cpp; needs NumPy, 4 GB and some two minutes.

An embedded lattice sequence in base 2: one vector z of odd numbers whose lattices {k z / 2^m + shift} are good for all m. The
figure of merit is the squared worst-case error in the Korobov space of smoothness 2 with product weights gamma_j,

    e2(m) = -1 + 2^-m sum_k prod_j (1 + gamma_j omega({k z_j / 2^m})),    omega(x) = 2 pi^2 (x^2 - x + 1/6).

Up to m = --fast the components are chosen one by one out of all odd numbers: with k and z written as +-5^a mod 2^j, the sums
over the k that have j bits are cyclic correlations of length 2^(j-2), done by the fast Fourier transform (Nuyens and Cools,
Math. Comp. 75 (2006) 903), and they serve all m >= j. A component makes the largest quotient of e2(m) and the least that any choice
has for this m as small as it can, m from 10 (after Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28 (2006) 2162, who divide by the errors
of lattices made for each m alone).

A doubling gives every component one bit more, after which half of the dual vectors, the h with h z = 0 mod 2^m that make the
error, are dual no more. From --fast to --most the bits are those that get rid of the short ones: of all choices for the first
eight components, and then of all for the others, that which leaves the least sum of prod (c_j |h_j|)^-2 over the short dual
vectors, c_j = 1.25 for the first eight variables and j / 4 for the others. What is short is found by pairs of hyperbolic crosses
in half of the variables each. A figure of merit that sums over points does not see them: their share is small, until
an integrand is smoother than the figure of merit supposes, and the error stands still while the number of points is doubled. The bits
beyond --most are those of a random number.
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
    """Components mod 2^most, by their logarithms to base 5."""
    levels = range(2, most + 1)
    om = {j: omega(powers_of_five(j) / 2.0**j) for j in levels}
    transformed = {j: np.fft.rfft(om[j]) for j in levels}
    product = {j: np.ones(1 << (j - 2)) for j in levels}
    ends = [1.0, 1.0]  # of k = 0 and k = 2^(m-1)
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


def cross(z, costs, reach, limit):
    """The h with prod over h_j != 0 of cost_j |h_j| up to `reach`: h, these products, and h z mod 2^64; None where there
    are more than `limit`."""
    h, product, at = np.zeros((1, len(z)), dtype=np.int16), np.ones(1), np.zeros(1, dtype=np.uint64)
    for j, (zj, cost) in enumerate(zip(z, costs)):
        order = np.argsort(product, kind="stable")
        h, product, at = h[order], product[order], at[order]
        parts = [(h, product, at)]
        for v in range(1, int(reach / cost) + 1):
            n = int(np.searchsorted(product, reach / (cost * v), side="right"))
            for sign in 1, -1:
                moved = h[:n].copy()
                moved[:, j] = sign * v
                parts.append((moved, product[:n] * (cost * v), at[:n] + np.uint64(sign * v * zj & MASK)))
        h, product, at = (np.concatenate(of) for of in zip(*parts))
        if len(h) > limit:
            return None
    return h, product, at


def largest_cross(z, costs, limit):
    reach = 8192.0
    while (found := cross(z, costs, reach, limit)) is None:
        reach /= 1.25
    return found


def dual_vectors(z, costs, split, m, limit):
    """Short h with h z = 0 mod 2^m, one of h and -h, and their products: all pairs of a cross in the first variables and
    one in the others that add up to it."""
    h1, product1, at1 = largest_cross(z[:split], costs[:split], limit)
    h2, product2, at2 = largest_cross(z[split:], costs[split:], limit)
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


def choose_bits(h, product, z, begin, end, m):
    """Bit m - 1 of the components begin ... end - 1, such that the least of sum product^-2 stays dual: a vector does where
    h z / 2^(m-1) is even, and each bit changes that where h_j is odd. All choices at once, by Walsh's transform."""
    n = end - begin
    odd = (inner(h, z) >> np.uint64(m - 1) & np.uint64(1)).astype(bool)
    which = ((h[:, begin:end] & 1).astype(np.int64) << np.arange(n)).sum(axis=1)
    weight = np.where(odd, -1.0, 1.0) / product**2
    stays = np.bincount(which, weight, 1 << n)
    step = 1
    while step < 1 << n:
        pairs = stays.reshape(-1, 2, step)
        stays = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        step *= 2
    best = int(np.argmin(stays))
    return [zj | (best >> j - begin & 1) << m - 1 if begin <= j < end else zj for j, zj in enumerate(z)]


def still_dual(h, product, z, m):
    kept = inner(h, z) & np.uint64((1 << m) - 1) == 0
    return h[kept], product[kept]


def more_bits(z, first, last, few=8, limit=5_000_000):
    """z mod 2^first to z mod 2^last. The components of the first few variables without regard to the others."""
    few = min(few, len(z))
    costs = [1.25] * few + [2.0 * j / few for j in range(few + 1, len(z) + 1)]
    low = dual_vectors(z[:few], costs[:few], few // 2, first, limit)
    high = dual_vectors(z, costs, few, first, limit) if len(z) > few else None
    for m in range(first + 1, last + 1):
        z = choose_bits(*low, z[:few], 0, few, m) + z[few:]
        low = still_dual(*low, z[:few], m)
        if high is not None:
            z = choose_bits(*high, z, few, len(z), m)
            high = still_dual(*high, z, m)
        for name, of in ("few", low), ("all", high):
            if of is not None:
                print(f"m = {m}, {name}: {len(of[1])} dual vectors, shortest {np.sort(of[1])[:3]}", file=sys.stderr)
    return z


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=20)
    parser.add_argument("--weights", default="0.3 / j**0.3", help="gamma_j, j = 1, 2, ...")
    parser.add_argument("--least", type=int, default=10)
    parser.add_argument("--fast", type=int, default=24)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--merits", type=int, default=24, help="figures of merit up to this m")
    given = parser.parse_args()
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
