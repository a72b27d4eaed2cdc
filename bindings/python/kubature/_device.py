"""Functions that evaluate points in the memory of the library's device, without a copy."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any, Callable


def _torch(f: Callable[..., Any], x: Any, values: Any) -> None:
    torch: Any = importlib.import_module("torch")
    stream: Any = contextlib.nullcontext()
    if x.stream:
        stream = torch.cuda.stream(torch.cuda.ExternalStream(x.stream))
    with stream:
        _fill(torch.from_dlpack(values), f(torch.from_dlpack(x)))


def _cupy(f: Callable[..., Any], x: Any, values: Any) -> None:
    cupy: Any = importlib.import_module("cupy")
    with cupy.cuda.ExternalStream(x.stream):
        _fill(cupy.asarray(values), f(cupy.asarray(x)))


def _numba(f: Callable[..., Any], x: Any, values: Any) -> None:
    cuda: Any = importlib.import_module("numba.cuda")
    f(cuda.as_cuda_array(x, sync=False), cuda.as_cuda_array(values, sync=False), cuda.external_stream(x.stream))


def _numpy(f: Callable[..., Any], x: Any, values: Any) -> None:
    import numpy

    _fill(numpy.asarray(values), f(numpy.asarray(x)))


def _plain(f: Callable[..., Any], x: Any, values: Any) -> None:
    f(x, values)


_kinds = {"torch": _torch, "cupy": _cupy, "numba": _numba, "numpy": _numpy, None: _plain}


def _fill(values: Any, returned: Any) -> None:
    if returned is None:
        raise TypeError("f returned None instead of an array of numbers")
    shape = tuple(returned.shape)
    if shape == (values.shape[0],) and values.shape[1] == 1:
        returned = returned[:, None]
    elif shape != tuple(values.shape):
        wanted = tuple(values.shape)
        raise ValueError(f"f returned an array of shape {shape} for {values.shape[0]} points instead of {wanted}")
    values[...] = returned


class DeviceFunction:
    """A function of points in the memory of the library's device: a GPU in a CUDA build. See on_device()."""

    def __init__(self, f: Callable[..., Any], arrays: str | None, components: int) -> None:
        if arrays not in _kinds:
            raise ValueError(f"arrays = {arrays!r}: must be one of {', '.join(str(kind) for kind in _kinds)}")
        if not callable(f):
            raise ValueError(f"f = {f!r}: a function is needed")
        self.f, self.arrays, self.components = f, arrays, components

    def __call__(self, x: Any, values: Any) -> None:
        _kinds[self.arrays](self.f, x, values)


def on_device(f: Callable[..., Any], arrays: str | None = "torch", components: int = 1) -> DeviceFunction:
    """Makes an integrand that gets whole batches of points, (n, d) float64, in the memory of the device, without a
    copy.

    >>> import kubature, numpy
    >>> f = on_device(lambda x: numpy.exp(-x[:, 0] * x[:, 1]), arrays="numpy")  # of a build for hosts
    >>> abs(kubature.integrate(f, [(0, 1), (0, 1)], evaluations=20000).value - 0.796599599) < 1e-2
    True

    arrays      what f gets, and returns for n points, (n,) or (n, components): "torch" tensors, "cupy" or "numpy"
                arrays. With "numba", f(points, values, stream) launches a kernel of numba.cuda that fills values. With
                None, f(points, values) fills values; both objects support DLPack and __cuda_array_interface__, and the
                work must run on the stream of the latter.
    components  number of values at a point

    torch and cupy work on the library's stream. The memory belongs to the library: f must not keep any of it.
    """
    return DeviceFunction(f, arrays, components)
