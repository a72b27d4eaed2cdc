from collections.abc import Callable, Sequence
from typing import Any

_Formula = tuple[str, str, list[float], int]
_Integrand = str | _Formula | int | Callable[..., Any]

class InvalidArgument(ValueError):
    """Bad input: a ValueError that names the argument and its value."""

def version() -> str: ...
def device() -> int: ...
def evaluate(formula: _Formula, variables: str | None, points: Any, values: Any) -> None: ...
def find_peaks(
    f: _Integrand,
    components: int,
    block: int,
    there: bool,
    concurrent: bool,
    variables: str | None,
    lower: Sequence[float],
    upper: Sequence[float],
    domain: Domain | None,
    evaluations: int,
    seed: int,
) -> list[tuple[list[float], float, list[float], float]]: ...

class Evidence:
    def __init__(
        self,
        f: _Integrand,
        components: int,
        block: int,
        there: bool,
        concurrent: bool,
        variables: str | None,
        lower: Sequence[float],
        upper: Sequence[float],
        domain: Domain | None,
        error: float,
        search: int,
        samples: int,
        most: int,
        seconds: float,
        seed: int,
        keep: bool,
    ) -> None: ...
    def get(self, number: int) -> float: ...
    def status(self) -> str: ...
    def remarks(self) -> str: ...
    def moments(self, mean: Any, covariance: Any) -> None: ...
    def count(self) -> int: ...
    def samples(self, points: Any, log_weights: Any) -> None: ...
    def peaks(self) -> list[tuple[list[float], float, list[float], float]]: ...

def normal_quantiles(numbers: Any) -> None: ...
def path_matrix(covariance: Any, by: str) -> None: ...
def check_box(lower: Sequence[float], upper: Sequence[float]) -> None: ...

class DeviceArray:
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def stream(self) -> int: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(self, **how: Any) -> Any: ...

class Domain:
    def __init__(self, text: str, breaks: str) -> None: ...
    def dimension(self) -> int: ...
    def inside(self, part: float) -> list[float]: ...

class Integrator:
    def __init__(self, method: str, precision: str | None, communicator: int | None) -> None: ...
    def set(self, option: str, value: str) -> None: ...
    def get(self, option: str) -> str: ...
    def integrate(
        self,
        f: _Integrand,
        components: int,
        block: int,
        there: bool,
        concurrent: bool,
        variables: str | None,
        lower: Sequence[float],
        upper: Sequence[float],
        domain: Domain | None,
        callback: Callable[..., bool],
    ) -> dict[str, Any]: ...
    def integrate_many(
        self,
        formula: str,
        variables: str,
        parameters: str,
        count: int,
        values: Sequence[float],
        boxes: int,
        lower: Sequence[float],
        upper: Sequence[float],
        callback: Callable[..., bool],
    ) -> tuple[list[float], list[float], list[str], int]: ...
    def map(self) -> list[list[float]]: ...
    def use(self, edges: Sequence[Sequence[float]]) -> None: ...
