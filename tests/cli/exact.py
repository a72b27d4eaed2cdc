"""What the program computes, to the bit: for the tests of repeatability and of recorded bits."""

import json
import os
import subprocess

PROGRAM = os.environ.get("KUBATURE_PROGRAM", "kubature")
PRECISIONS = ["fp64", "fp32", "fp32_pure", "fp16", "adaptive"]
# Symmetric, for mcubes-1d; a peak, so that maps, strata and regions are refined; within the range of half precision.
PEAK = ["1/(0.05 + (x-0.4)^2 + (y-0.4)^2 + (z-0.4)^2)", "--box", "0:1"]


def run(arguments, **environment):
    """What a command prints as JSON. Its numbers are texts, with as many digits as tell them from all others."""
    done = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    if done.returncode not in (0, 3):
        raise AssertionError((arguments, done.stderr))
    return json.loads(done.stdout, parse_float=str)
