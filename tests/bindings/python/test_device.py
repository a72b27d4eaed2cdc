"""Functions of arrays on a GPU, by what is installed of torch, CuPy and numba.cuda, and by ctypes alone; of CUDA builds."""

import ctypes
import importlib.util
import math
import os
import unittest

import kubature
from kubature import _kubature

BOX = [(0, 1), (0, 2)]
NORM, FIRST = 0.6457524772703195, 0.5 * (1 - math.exp(-1)) * (1 - math.exp(-2))
OPTIONS = dict(evaluations=1e6, iterations=6, seed=1)


def have(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@unittest.skipUnless(_kubature.device() == 2, "the build is not one for CUDA")
class Arrays(unittest.TestCase):
    def check(self, f, arrays, components=2):
        integrand = kubature.on_device(f, arrays, components)
        result = kubature.integrate(integrand, BOX, **OPTIONS)
        formula = kubature.integrate("exp(-x*x-y); x*exp(-x*x-y)", BOX, **OPTIONS)
        for c in range(components):
            self.assertLess(abs(result.values[c] / formula.values[c] - 1), 1e-10)
        self.assertLess(abs(result.values[0] - NORM), 5 * result.errors[0])
        self.assertLess(abs(result.values[1] - FIRST), 5 * result.errors[1])

    @unittest.skipUnless(have("torch"), "torch is not installed")
    def test_torch(self):
        import torch

        def f(x):
            self.assertTrue(x.is_cuda)
            e = torch.exp(-x[:, 0] ** 2 - x[:, 1])
            return torch.stack([e, x[:, 0] * e], dim=1)

        self.check(f, "torch")

    @unittest.skipUnless(have("cupy"), "CuPy is not installed")
    def test_cupy(self):
        import cupy

        def f(x):
            e = cupy.exp(-x[:, 0] ** 2 - x[:, 1])
            return cupy.stack([e, x[:, 0] * e], axis=1)

        self.check(f, "cupy")

    @unittest.skipUnless(have("numba.cuda"), "numba is not installed")
    def test_numba(self):
        from numba import cuda

        if not cuda.is_available():
            self.skipTest("numba finds no device")

        @cuda.jit
        def kernel(x, values):
            k = cuda.grid(1)
            if k < x.shape[0]:
                values[k, 0] = math.exp(-x[k, 0] ** 2 - x[k, 1])
                values[k, 1] = x[k, 0] * values[k, 0]

        def f(x, values, stream):
            kernel[(x.shape[0] + 255) // 256, 256, stream](x, values)

        self.check(f, "numba")

    @unittest.skipUnless("KUBATURE_DEVICE_FUNCTION" in os.environ, "no library with a kernel was compiled")
    def test_addresses(self):
        launch = ctypes.CDLL(os.environ["KUBATURE_DEVICE_FUNCTION"]).launch
        launch.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

        def f(x, values):
            points, to = x.__cuda_array_interface__, values.__cuda_array_interface__
            n, d = points["shape"]
            self.assertEqual((d, points["strides"], points["typestr"], points["version"]), (2, (8, 8 * n), "<f8", 3))
            self.assertEqual(x.__dlpack_device__()[0], 2)
            self.assertEqual(points["stream"], x.stream)
            self.assertEqual(launch(n, points["data"][0], to["data"][0], x.stream), 0)

        self.check(f, None)

    @unittest.skipUnless(have("torch") and have("cupy"), "torch or CuPy is not installed")
    def test_nothing_is_copied(self):
        import cupy
        import torch

        seen = []

        def f(x, values):
            for array in (x, values):
                there = array.__cuda_array_interface__["data"][0]
                seen.append(torch.from_dlpack(array).data_ptr() == there == cupy.asarray(array).data.ptr)
            seen.append(x.__cuda_array_interface__["data"][1] is False)
            with torch.cuda.stream(torch.cuda.ExternalStream(x.stream)):
                torch.from_dlpack(values)[:, 0] = torch.exp(-torch.from_dlpack(x)[:, 1])

        result = kubature.integrate(kubature.on_device(f, None), BOX, **OPTIONS)
        self.assertLess(abs(result.value - (1 - math.exp(-2))), 5 * result.error)
        self.assertTrue(seen and all(seen))

    def test_what_f_raises(self):
        def f(x, values):
            raise KeyError("there")

        with self.assertRaisesRegex(KeyError, "there"):
            kubature.integrate(kubature.on_device(f, None), BOX, **OPTIONS)
        result = kubature.integrate("exp(-x*x-y)", BOX, **OPTIONS)
        self.assertLess(abs(result.value - NORM), 5 * result.error)

    def test_functions_on_the_host(self):
        import numpy

        result = kubature.integrate(lambda x: numpy.exp(-x[:, 0] ** 2 - x[:, 1]), BOX, **OPTIONS)
        self.assertLess(abs(result.value - NORM), 5 * result.error)


if __name__ == "__main__":
    unittest.main()
