#!/usr/bin/env python3
"""Makes the generating vector of algorithms/src/generating_vector.cpp; needs NumPy, and for --most 30 some 3 GB.

An embedded lattice sequence in base 2: one vector z of odd numbers whose lattices {k z / 2^m + shift} are good for all m. The
figure of merit is the squared worst-case error in the Korobov space of smoothness 2 with product weights gamma_j,

    e2(m) = -1 + 2^-m sum_k prod_j (1 + gamma_j omega({k z_j / 2^m})),    omega(x) = 2 pi^2 (x^2 - x + 1/6).

Up to m = --fast the components are chosen one by one out of all odd numbers: with k and z written as +-5^a mod 2^j, the sums
over the k that have j bits are cyclic correlations of length 2^(j-2), done by the fast Fourier transform (Nuyens and Cools,
Math. Comp. 75 (2006) 903), and they serve all m >= j. A component makes the largest quotient of e2(m) and the least that any choice
has for this m as small as it can, m from 10 (after Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28 (2006) 2162, who divide by the errors
of lattices made for each m alone). From there to --most, each doubling gives every component one bit more, one component after
the other, each as e2 says. The bits beyond are those of a random number.
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


def another_bit(z, gammas, m, block=1 << 20):
    """z mod 2^(m-1) to z mod 2^m."""
    count = 1 << (m - 2)
    p = np.ones(count)
    out = []
    for zs, gamma in zip(z, gammas):
        sums = [0.0, 0.0]
        for begin in range(0, count, block):
            at = slice(begin, begin + block)
            k = 2 * np.arange(begin, min(begin + block, count), dtype=np.uint64) + np.uint64(1)
            x = (k * np.uint64(zs) << np.uint64(64 - m)) * 2.0**-64
            for bit in 0, 1:
                y = x if bit == 0 else x + 0.5 - (x >= 0.5)
                sums[bit] += float(np.dot(p[at], omega(y)))
        bit = int(sums[1] < sums[0])
        zs |= bit << (m - 1)
        out.append(zs)
        for begin in range(0, count, block):
            at = slice(begin, begin + block)
            k = 2 * np.arange(begin, min(begin + block, count), dtype=np.uint64) + np.uint64(1)
            p[at] *= 1 + gamma * omega((k * np.uint64(zs) << np.uint64(64 - m)) * 2.0**-64)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=20)
    parser.add_argument("--weights", default="0.3 / j**0.3", help="gamma_j, j = 1, 2, ...")
    parser.add_argument("--least", type=int, default=10)
    parser.add_argument("--fast", type=int, default=24)
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("--merits", type=int, default=24, help="figures of merit up to this m")
    given = parser.parse_args()
    gammas = [float(eval(given.weights, {"j": j})) for j in range(1, given.dimensions + 1)]
    start = time.time()
    z = fast(gammas, given.least, given.fast)
    for m in range(given.fast + 1, given.most + 1):
        z = another_bit(z, gammas, m)
        print(f"m = {m} after {time.time() - start:.0f} s", file=sys.stderr)
    random = np.random.default_rng(1)
    z = [zs | int(random.integers(1 << 62)) << given.most & MASK for zs in z]
    print("weights", " ".join(f"{g:.17g}" for g in gammas))
    for zs in z:
        print(f"0x{zs:016x}")
    for d, row in enumerate(merits(z, gammas, given.merits), 1):
        print(f"e2 in {d} dimensions:", " ".join(f"{x:.6e}" for x in row))


if __name__ == "__main__":
    main()
