#!/usr/bin/env python3
"""The Spack recipe offers what CMake has, conda's names the same versions, and Debian's packages are named after the
library's version and built from what the scripts install. The recipe is read with stand-ins for Spack's directives, which note their arguments."""
import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging/spack/spack_repo/kubature/packages/kubature/package.py"
CMAKE = (ROOT / "CMakeLists.txt").read_text()
# Options for those who work on kubature.
OURS = {"KUBATURE_BUILD_TESTS", "KUBATURE_BUILD_PERF", "KUBATURE_CHECK_PERF", "KUBATURE_BUILD_FUZZERS",
        "KUBATURE_WARNINGS_AS_ERRORS", "KUBATURE_REQUIRE_BACKEND", "KUBATURE_IN_GROUPS", "KUBATURE_WHEEL"}


class Package:
    def __getitem__(self, name):
        return types.SimpleNamespace(kokkos_cxx=f"compiler of {name}")

    def define(self, name, value):
        return name, value

    def define_from_variant(self, name, variant):
        return name, f"variant {variant}"


class Cuda:
    cuda_arch_values = ("80", "90")


class Rocm:
    amdgpu_targets = ("gfx90a", "gfx942")


def recipe():
    """The class Kubature, and the arguments of each directive."""
    noted = {name: [] for name in ("license", "version", "variant", "depends_on", "conflicts")}
    package = types.ModuleType("spack.package")
    for name, calls in noted.items():
        setattr(package, name, lambda *args, _calls=calls, **named: _calls.append((args, named)))
    package.__all__ = list(noted)
    modules = {"spack": types.ModuleType("spack"), "spack.package": package}
    systems = "spack_repo.builtin.build_systems"
    for name in ("spack_repo", "spack_repo.builtin", systems):
        modules[name] = types.ModuleType(name)
    for name, members in (("cmake", {"CMakePackage": Package}), ("cuda", {"CudaPackage": Cuda}),
                          ("rocm", {"ROCmPackage": Rocm})):
        modules[f"{systems}.{name}"] = types.SimpleNamespace(**members)
    before = dict(sys.modules)
    sys.modules.update(modules)
    try:
        names = {}
        exec(compile(RECIPE.read_text(), RECIPE, "exec"), names)
        return names["Kubature"], noted
    finally:
        sys.modules.clear()
        sys.modules.update(before)


class Spack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package, cls.noted = recipe()
        cls.dependencies = [args[0] for args, _ in cls.noted["depends_on"]]

    def test_variants_are_the_options_of_cmake(self):
        options = set(re.findall(r"^(?:option\((KUBATURE_\w+)|set\((?=KUBATURE_\w+[^\n]* CACHE))(KUBATURE_\w+)?", CMAKE,
                                 re.MULTILINE))
        options = {first or second for first, second in options}
        self.assertGreater(len(options), 8)
        self.assertEqual(set(self.package.VARIANTS) - {"BUILD_SHARED_LIBS"}, options - OURS)
        self.assertEqual(OURS - options, set())
        self.assertEqual(sorted(self.package.VARIANTS.values()), sorted(args[0] for args, _ in self.noted["variant"]))
        for _, named in self.noted["variant"]:
            self.assertTrue(named["description"])

    def test_versions_are_those_of_the_build(self):
        first = re.search(r"KUBATURE_KOKKOS_FROM ([\d.]+)", CMAKE)[1]
        below = int(re.search(r"KUBATURE_KOKKOS_BELOW (\d+)", CMAKE)[1])
        self.assertIn(f"kokkos@{first}:{below - 1}", self.dependencies)
        self.assertIn(f"cmake@{re.search(r'cmake_minimum_required.VERSION ([0-9.]+)', CMAKE)[1]}:", self.dependencies)
        project = (ROOT / "pyproject.toml").read_text()
        self.assertIn(f"python@{re.search(r'requires-python = .>=([0-9.]+)', project)[1]}:", self.dependencies)
        self.assertIn(f"py-nanobind@{re.search(r'nanobind>=([0-9.]+)', project)[1]}:", self.dependencies)

    def test_devices_go_on_to_kokkos(self):
        told = {args[0]: named["when"] for args, named in self.noted["depends_on"] if "when" in named}
        for arch in Cuda.cuda_arch_values:
            self.assertEqual(told[f"kokkos +cuda cuda_arch={arch}"], f"+cuda cuda_arch={arch}")
        for target in Rocm.amdgpu_targets:
            self.assertEqual(told[f"kokkos +rocm amdgpu_target={target}"], f"+rocm amdgpu_target={target}")

    def test_arguments_for_cmake(self):
        package = self.package()
        package.run_tests = False
        for cuda in (False, True):
            package.spec = types.SimpleNamespace(satisfies=lambda what, cuda=cuda: cuda and what == "+cuda")
            arguments = dict(package.cmake_args())
            self.assertEqual(arguments["KUBATURE_MPI"], "variant mpi")
            self.assertEqual(arguments["KUBATURE_BUILD_TESTS"], False)
            self.assertEqual(arguments.get("CMAKE_CXX_COMPILER"), "compiler of kokkos" if cuda else None)


def version():
    """Of the library: its three numbers."""
    return re.findall(r"^#define KUBATURE_VERSION_[MP][AI][A-Z]+ (\d+)$",
                      (ROOT / "core/include/kubature/version.hpp").read_text(), re.MULTILINE)


class Conda(unittest.TestCase):
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text()

    def test_versions_are_those_of_the_build(self):
        self.assertIn(f'version: "{".".join(version())}"', self.recipe)
        self.assertEqual(set(re.findall(r"- cmake (\S+)", self.recipe)),
                         {f">={re.search(r'cmake_minimum_required.VERSION ([0-9.]+)', CMAKE)[1]}"})
        below = re.search(r"KUBATURE_KOKKOS_BELOW (\d+)", CMAKE)[1]
        self.assertEqual({bound.split(",")[1] for bound in re.findall(r"- kokkos (\S+)", self.recipe)}, {f"<{below}"})
        project = (ROOT / "pyproject.toml").read_text()
        for name in ("nanobind", "scikit-build-core"):
            bound = re.search(rf"{name}(>=[0-9.]+)", project)[1]
            self.assertIn(f"- {name} {bound}\n", self.recipe)
        self.assertIn(f"- python {re.search(r'requires-python = .(>=[0-9.]+)', project)[1]}\n", self.recipe)

    def test_options_are_those_of_cmake(self):
        for option in set(re.findall(r"KUBATURE_[A-Z_]+", self.recipe)):
            self.assertRegex(CMAKE + (ROOT / "cmake/kubature_kokkos.cmake").read_text(), rf"(option|set)\({option} ")


class Debian(unittest.TestCase):
    control = (ROOT / "packaging/debian/control").read_text()

    def test_the_library_is_named_after_its_soversion(self):
        name = f"libkubature-c{'.'.join(version()[:2])}"
        self.assertEqual(re.findall(r"^Package: (libkubature-c.*)$", self.control, re.MULTILINE), [name])
        self.assertIn(f"{name} (= ${{binary:Version}})", self.control)
        self.assertTrue((ROOT / f"packaging/debian/{name}.install").exists())

    def test_builds_with_what_the_scripts_install(self):
        needed = re.search(r"^Build-Depends: (.*?)^\S", self.control, re.MULTILINE | re.DOTALL)[1]
        listed = {line for name in ("packages", "packages-tests", "packages-debian")
                  for line in (ROOT / f"scripts/{name}.txt").read_text().split("\n")}
        names = [re.match(r"[\w.+-]+", each.strip())[0] for each in needed.split(",")]
        self.assertGreater(len(names), 8)
        self.assertEqual([name for name in names if name not in listed and name != "debhelper-compat"], [])


if __name__ == "__main__":
    unittest.main()
