"""Calls of kubature, as a package or a program, and of its peers, each as a record:

status       kubature's; for peers "converged" where the error meets the tolerance, else "completed"
value, error a number or one for each component
rule         the method that gave the result, where that is not the one asked
evaluations, seconds, remarks, non_finite"""

import json
import subprocess

import formula
import peers


def sides(integral):
    return [tuple(float(end) for end in side.split(":")) for side in integral["box"].split(",")]


def options(method, tolerance, limits):
    """The options of a call. A limit of evaluations is the total of auto and pagani. Others get so many iterations that
    they take about as much: vegas+ makes them larger for a tolerance, and qmc doubles its points."""
    found = dict(relative=tolerance)
    if limits["seconds"]:
        found["seconds"] = limits["seconds"]
    if method not in ("pagani", "two-phase"):
        found["seed"] = limits["seed"]
    evaluations = limits["evaluations"]
    if evaluations and method == "qmc":
        found.update(evaluations=evaluations // 16, iterations=12)
    elif evaluations and method in ("vegas+", "mcubes", "mc"):
        found.update(evaluations=evaluations // 20, iterations=10 if method == "vegas+" else 20)
    elif evaluations:
        found["evaluations"] = evaluations
    return found


class Callers:
    """All methods by their names."""

    def __init__(self, program=None):
        self._program = program

    def call(self, method, integral, tolerance, limits):
        if method in peers.PEERS:
            return peers.call(method, integral["formula"], sides(integral), tolerance, limits)
        if self._program:
            return self._by_program(method, integral, tolerance, limits)
        return self._by_package(method, integral, tolerance, limits)

    def _by_package(self, method, integral, tolerance, limits):
        import kubature

        box, text = sides(integral), integral["formula"]
        result = kubature.integrate(
            text,
            box,
            method=method,
            variables=formula.variables(text, len(box)),
            bar=False,
            **options(method, tolerance, limits),
        )
        several = not result.layout.one
        return dict(
            status=result.status,
            value=list(result.values) if several else result.value,
            error=list(result.errors) if several else result.error,
            rule=result.method,
            evaluations=result.evaluations,
            seconds=result.seconds,
            remarks=list(result.remarks),
            non_finite=result.non_finite,
        )

    def _by_program(self, method, integral, tolerance, limits):
        text, names = integral["formula"], formula.variables(integral["formula"], integral["box"].count(",") + 1)
        command = [self._program, "integrate", text, f"--box={integral['box']}", "--json", "--method", method]
        command += ["--vars", ",".join(names)]
        for option, value in options(method, tolerance, limits).items():
            command += [f"--{option}", str(value)]
        if limits.get("policy"):
            command += ["--policy", limits["policy"]]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            result = json.loads(ended.stdout)
        except ValueError:
            return dict(status="exception", remarks=[ended.stderr.strip()[-500:] or f"exit code {ended.returncode}"])
        number = lambda x: float("nan") if x is None else x
        parts = result.get("components")
        return dict(
            status=result["status"],
            value=[number(each["value"]) for each in parts] if parts else number(result["value"]),
            error=[number(each["error"]) for each in parts] if parts else number(result["error"]),
            rule=result["method"],
            evaluations=result["evaluations"],
            seconds=result["seconds"],
            remarks=result["remarks"],
            non_finite=result["non_finite"],
        )


def versions(methods, program):
    """What the calls were made with."""
    found = {each: peers.version(each) for each in methods if each in peers.PEERS}
    if program:
        found["kubature"] = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False
        ).stdout.strip()
    elif set(methods) - set(found):
        import kubature

        found["kubature"] = kubature.info()
    return found
