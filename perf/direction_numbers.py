#!/usr/bin/env python3
"""Makes algorithms/src/quasi_monte_carlo/joe_kuo.hpp; needs NumPy.

    perf/direction_numbers.py FILE > algorithms/src/quasi_monte_carlo/joe_kuo.hpp

FILE is new-joe-kuo-6.21201 (Joe and Kuo, SIAM J. Sci. Comput. 30 (2008) 2635), as published or as SciPy has it
(scipy/stats/_sobol_direction_numbers.npz). The bits of a variable are those of its primitive polynomial without the
first and the last coefficient, then those of its initial numbers m_2, m_3, ... without the last bit, which is 1: as
many as the degree of the polynomial, m_k with k - 1 bits. All bits follow each other, lowest first, in words of 64.
"""
import sys

import numpy as np

VARIABLES = 1024


def table(path):
    """(polynomial with all of its coefficients, initial numbers) of variables 2, 3, ..."""
    if path.endswith(".npz"):
        numbers = np.load(path)
        for polynomial, initial in zip(numbers["poly"][1:], numbers["vinit"][1:]):
            degree = int(polynomial).bit_length() - 1
            yield int(polynomial), [int(m) for m in initial[:degree]]
    else:
        for line in list(open(path))[1:]:
            _, degree, inner, *initial = map(int, line.split())
            yield 1 << degree | inner << 1 | 1, initial


def main():
    bits, degrees = "", [0] * 16
    for polynomial, initial in list(table(sys.argv[1]))[:VARIABLES - 1]:
        degree = polynomial.bit_length() - 1
        assert len(initial) == degree and all(m & 1 and m < 2 << k for k, m in enumerate(initial))
        degrees[degree] += 1
        fields = [(polynomial >> 1 & (1 << degree - 1) - 1, degree - 1)]
        fields += [(m >> 1, k) for k, m in enumerate(initial)]
        for value, width in fields:
            bits += f"{value:0{width}b}"[::-1] if width else ""
    bits += "0" * (-len(bits) % 64)
    words = [f"0x{int(bits[at:at + 64][::-1], 2):016x}" for at in range(0, len(bits), 64)]
    print(f"""#pragma once

#include <cstdint>

/// \\file
/// Primitive polynomials and initial numbers of Joe and Kuo (see direction_numbers.hpp) for {VARIABLES} variables, written by
/// perf/direction_numbers.py, which explains the order of the bits.

namespace kubature::detail::joe_kuo {{

/// The number of variables whose polynomial has degree 0, 1, 2, ..., from the second variable on.
inline constexpr int of_degree[] = {{{", ".join(map(str, degrees[:max(d for d in range(16) if degrees[d]) + 1]))}}};

inline constexpr std::uint64_t words[] = {{""")
    for at in range(0, len(words), 5):
        print("    " + ", ".join(words[at:at + 5]) + ("," if at + 5 < len(words) else "};"))
    print("""
} // namespace kubature::detail::joe_kuo""")


main()
