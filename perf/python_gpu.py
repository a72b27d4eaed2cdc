"""Integrates f4 in 5 variables (a Gaussian of width 1/25) on a GPU with kubature's Python package, in a build for CUDA:
functions of torch, CuPy and numba.cuda, a CUDA kernel and a formula with VEGAS+; the time that torch's function takes
alone; and torchquad's VEGAS with that function.

    python3 perf/python_gpu.py [--repeat 3] [--json perf/results/MACHINE/python-gpu.json]

For each, the shortest call counts, with an Integrator of its own; torchquad's calls are listed one by one, as the first
sets it up. What is not installed is left out, as is the kernel if there is no nvcc."""

import argparse
import ctypes
import json
import math
import pathlib
import shutil
import subprocess
import tempfile
import time

import digest
import kubature

parser = argparse.ArgumentParser()
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--evaluations", type=int, default=10**8, help="of an iteration; a tenth in the call of ten iterations")
parser.add_argument("--json")
parser.add_argument("--sources", metavar="STUDY", help=digest.SOURCES)
given = parser.parse_args()

BOX = [(0, 1)] * 5
TRUTH = (math.sqrt(math.pi / 625) * math.erf(12.5)) ** 5
FORMULA = "exp(-625*((x1-.5)^2+(x2-.5)^2+(x3-.5)^2+(x4-.5)^2+(x5-.5)^2))"
KERNEL = """
__global__ void peak(long n, int d, double const* x, double* values) {
  long const k = blockIdx.x * 256L + threadIdx.x;
  if (k >= n)
    return;
  double square = 0;
  for (int i = 0; i < d; ++i)
    square += (x[k + i * n] - 0.5) * (x[k + i * n] - 0.5);
  values[k] = exp(-625 * square);
}
extern "C" int launch(long n, int d, double const* x, double* values, void* stream) {
  peak<<<(n + 255) / 256, 256, 0, (cudaStream_t)stream>>>(n, d, x, values);
  return cudaGetLastError();
}
"""
table = []
versions = {}


def tell(name, seconds, evaluations, value=None, error=None):
    entry = dict(name=name, seconds=seconds, nanoseconds_per_sample=seconds * 1e9 / evaluations, evaluations=evaluations)
    if value is not None:
        entry.update(value=value, error=error, pull=(value - TRUTH) / error)
    table.append(entry)
    print(f"{name:60s} {seconds * 1e3:9.2f} ms {entry['nanoseconds_per_sample']:9.4f} ns per sample", flush=True)


def through_vegas_plus(name, integrand):
    for iterations, evaluations in (10, given.evaluations // 10), (5, given.evaluations):
        calls = []
        for repeat in range(given.repeat):
            options = dict(evaluations=evaluations, iterations=iterations, skip=0, seed=repeat + 1, bar=False)
            begin = time.perf_counter()
            result = kubature.integrate(integrand, BOX, method="vegas+", **options)
            calls.append((time.perf_counter() - begin, result))
        seconds, result = min(calls, key=lambda call: call[0])
        name_of_call = f"kubature VEGAS+, {name}, {iterations} x {evaluations:.0e}"
        tell(name_of_call, seconds, result.evaluations, result.value, result.error)


def torch_function(x):
    import torch

    return torch.exp(-625 * torch.sum((x - 0.5) ** 2, dim=1))


def alone(name, function, n):
    """Times a torch function alone, n points per call, laid out as integrands get them, for one iteration's points."""
    import torch

    x = torch.rand(5, n, dtype=torch.float64, device="cuda").t()
    times, seconds = max(1, given.evaluations // n), math.inf
    for _ in range(given.repeat):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            function(x)
        torch.cuda.synchronize()
        seconds = min(seconds, time.perf_counter() - begin)
    tell(f"{name} alone, {n:.0e} points at once", seconds, times * n)


def by_torch():
    import torch

    versions.update(torch=torch.__version__, device=torch.cuda.get_device_name(0))
    for n in 10**6, 5 * 10**6, 10**7:
        alone("torch function", torch_function, n)
    through_vegas_plus("torch function", kubature.on_device(torch_function, "torch"))


def by_formula():
    through_vegas_plus("formula", FORMULA)


def by_kernel():
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise ModuleNotFoundError("nvcc")
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "peak.cu"), pathlib.Path(folder, "peak.so")
        source.write_text(KERNEL)
        subprocess.run([nvcc, "-O3", "-arch=native", "-Xcompiler", "-fPIC", "-shared", "-o", library, source], check=True)
        launch = ctypes.CDLL(str(library)).launch
    launch.argtypes = [ctypes.c_int64, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

    def f(x, values):
        points, to = x.__cuda_array_interface__["data"][0], values.__cuda_array_interface__["data"][0]
        if launch(*x.shape, points, to, x.stream):
            raise RuntimeError("the kernel did not start")

    through_vegas_plus("CUDA kernel", kubature.on_device(f, None))


def by_cupy():
    import cupy

    versions.update(cupy=cupy.__version__)

    def f(x):
        return cupy.exp(-625 * cupy.sum((x - 0.5) ** 2, axis=1))

    squares = "+".join(f"({u}-.5)*({u}-.5)" for u in "abcde")
    arguments = ", ".join(f"float64 {u}" for u in "abcde")
    kernel = cupy.ElementwiseKernel(arguments, "float64 v", f"v = exp(-625*({squares}))", "f4")
    through_vegas_plus("CuPy function", kubature.on_device(f, "cupy"))
    fused = kubature.on_device(lambda x: kernel(*(x[:, i] for i in range(5))), "cupy")
    through_vegas_plus("CuPy ElementwiseKernel", fused)


def by_numba():
    import numba
    from numba import cuda

    versions.update(numba=numba.__version__)

    @cuda.jit
    def kernel(x, values):
        k = cuda.grid(1)
        if k < x.shape[0]:
            square = 0.0
            for i in range(5):
                square += (x[k, i] - 0.5) ** 2
            values[k, 0] = math.exp(-625 * square)

    def f(x, values, stream):
        kernel[(x.shape[0] + 255) // 256, 256, stream](x, values)

    through_vegas_plus("numba.cuda kernel", kubature.on_device(f, "numba"))


def by_torchquad():
    import torch
    import torchquad

    versions.update(torchquad=torchquad.__version__)
    torchquad.set_up_backend("torch", data_type="float64")
    for repeat in range(given.repeat):
        options = dict(dim=5, N=given.evaluations, integration_domain=BOX, seed=repeat + 1, backend="torch", return_error=True)
        torch.cuda.synchronize()
        begin = time.perf_counter()
        result = torchquad.VEGAS().integrate(torch_function, **options)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        name = f"torchquad VEGAS, N = {given.evaluations:.0e}, call {repeat + 1}"
        tell(name, seconds, int(result.nr_of_fevals), float(result.integral), float(result.sdev))


def by_compiled_torch():
    import torch

    function = torch.compile(torch_function, dynamic=True)
    alone("torch.compile", function, 5 * 10**6)
    through_vegas_plus("torch.compile", kubature.on_device(function, "torch"))


print(kubature.info())
# torchquad comes last, as it changes torch's defaults.
for part in by_torch, by_compiled_torch, by_formula, by_kernel, by_cupy, by_numba, by_torchquad:
    try:
        part()
    except Exception as problem:  # the others continue
        print(f"{part.__name__}: {type(problem).__name__}: {str(problem)[:300]}", flush=True)
        table.append(dict(name=part.__name__, failed=f"{type(problem).__name__}: {str(problem)[:300]}"))
if given.json:
    about = digest.heading(__file__, digest.of_build("python", kubature.info(), given.sources))
    record = dict(study="python-gpu", kubature=kubature.info(), **about, **versions, repeat=given.repeat, runs=table)
    with open(given.json, "w", encoding="ascii") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
