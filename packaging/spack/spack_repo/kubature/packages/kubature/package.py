# Copyright 2026 The kubature developers
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Kubature(CMakePackage, CudaPackage, ROCmPackage):
    """Multi-dimensional numerical integration on GPUs and CPUs: adaptive cubature, VEGAS+, m-Cubes, quasi-Monte
    Carlo and mixed precision on Kokkos, with a program and modules for C, Fortran and Python."""

    # There is no public address yet: point `git` at a clone, or use `spack develop`.
    homepage = "file:///kubature"
    git = "file:///kubature"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    # Each of these is an option of CMake: VARIANTS says which. tests/packaging/packaging_test.py compares them.
    variant("app", default=True, description="Build the program kubature")
    variant("runtime", default=True, description="Build kubature::runtime, all methods by name")
    variant("c", default=True, description="Build libkubature_c and kubature.h")
    variant("cuba", default=True, when="+c", description="Build libkubature_cuba, the functions of Cuba")
    variant("fortran", default=False, when="+c", description="Build the Fortran module")
    variant("gsl", default=False, when="+c", description="Build the drop-in for GSL's Monte Carlo integration")
    variant("python", default=False, when="+c", description="Build the Python package")
    variant("mpi", default=False, description="Integrate by several processes")
    variant("kernels", default=False, description="Full covariance of components known at run time")
    variant("sleef", default=False, description="Functions of formulas by vector instructions of CPUs")
    variant("fp64_only", default=False, description="Leave other precisions out of what is compiled by name")
    variant("shared", default=True, description="Build shared libraries")

    VARIANTS = {
        "KUBATURE_BUILD_APP": "app",
        "KUBATURE_BUILD_RUNTIME": "runtime",
        "KUBATURE_C": "c",
        "KUBATURE_CUBA": "cuba",
        "KUBATURE_FORTRAN": "fortran",
        "KUBATURE_GSL": "gsl",
        "KUBATURE_PYTHON": "python",
        "KUBATURE_MPI": "mpi",
        "KUBATURE_KERNELS": "kernels",
        "KUBATURE_SLEEF": "sleef",
        "KUBATURE_FP64_ONLY": "fp64_only",
        "BUILD_SHARED_LIBS": "shared",
    }

    depends_on("cxx", type="build")
    depends_on("c", type="build", when="+c")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("kokkos@4.5:5")
    depends_on("kokkos cxxstd=20") # of Kokkos 4 by default 17
    depends_on("kokkos@4.7: +wrapper", when="+cuda")
    depends_on("kokkos +pic", when="+c ^kokkos ~shared") # libkubature_c is a shared library
    depends_on("kokkos +pic", when="+shared ^kokkos ~shared")
    depends_on("kokkos-kernels@4.5:5", when="+kernels")
    depends_on("sleef", when="+sleef")
    depends_on("gsl@2:", when="+gsl")
    depends_on("mpi", when="+mpi")
    depends_on("cli11", when="+app")
    depends_on("nlohmann-json", when="+app")
    depends_on("python@3.10:", type=("build", "link", "run"), when="+python")
    depends_on("py-nanobind@2.10:", type="build", when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")

    # The device is compiled for by Kokkos: its architecture is the one that is asked for here.
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")

    conflicts("%gcc@:11", msg="kubature needs C++20 as GCC 12 has it")
    conflicts("cuda_arch=none", when="+cuda", msg="name the device: cuda_arch=90, say")

    def cmake_args(self):
        arguments = [self.define_from_variant(option, variant) for option, variant in self.VARIANTS.items()]
        arguments.append(self.define("KUBATURE_KOKKOS", "INSTALLED"))
        arguments.append(self.define("KUBATURE_BUILD_TESTS", self.run_tests))
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx)) # nvcc_wrapper
        return arguments
