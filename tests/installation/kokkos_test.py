#!/usr/bin/env python3
"""KUBATURE_KOKKOS: which Kokkos CMake takes, what a fetched one is configured for, and what is said where there is none.
CMake configures without building; a project of a few lines stands in for the source of Kokkos."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, COMPILER = sys.argv[1:3]
STAND_IN = """cmake_minimum_required(VERSION 3.25)
project(Kokkos LANGUAGES CXX VERSION {version})
set(Kokkos_VERSION {version})
set(KOKKOS_ENABLED_DEVICES)
foreach(device CUDA OPENMP SERIAL)
  if(Kokkos_ENABLE_${{device}})
    list(APPEND KOKKOS_ENABLED_DEVICES ${{device}})
  endif()
endforeach()
message(STATUS "position-independent: ${{CMAKE_POSITION_INDEPENDENT_CODE}}")
add_library(kokkoscore INTERFACE)
add_library(Kokkos::kokkoscore ALIAS kokkoscore)
add_library(Kokkos::kokkos ALIAS kokkoscore)
install(TARGETS kokkoscore EXPORT KokkosTargets)
install(EXPORT KokkosTargets NAMESPACE Kokkos:: DESTINATION lib)
"""


class Fetched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tools").mkdir()

    def tool(self, name, says):
        path = self.folder / "tools" / name
        path.write_text(f"#!/bin/sh\necho '{says}'\n")
        path.chmod(0o755)

    def configure(self, *options, version="5.1.1"):
        """What CMake says, its paragraphs as lines, and whether it succeeds."""
        source = self.folder / "kokkos"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(STAND_IN.format(version=version))
        parts = [f"-DKUBATURE_{part}=OFF" for part in ("BUILD_RUNTIME", "C", "BUILD_APP", "BUILD_TESTS", "MPI", "KERNELS")]
        environment = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "Kokkos_ROOT")}
        environment["PATH"] = f"{self.folder / 'tools'}:{environment['PATH']}"
        done = subprocess.run(
            [CMAKE, "-S", ROOT, "-B", self.folder / "build", f"-DCMAKE_CXX_COMPILER={COMPILER}", *parts,
             f"-DFETCHCONTENT_SOURCE_DIR_KOKKOS={source}", *options], env=environment, text=True, capture_output=True)
        return done.returncode == 0, " ".join((done.stdout + done.stderr).split())

    NONE = "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON"

    def test_where_there_is_none(self):
        done, said = self.configure(self.NONE)
        self.assertTrue(done, said)
        self.assertIn("OPENMP, SERIAL, Kokkos 5.1.1", said)
        self.assertIn("position-independent: ON", said)

    def test_on_demand(self):
        done, said = self.configure("-DKUBATURE_KOKKOS=FETCH")
        self.assertTrue(done, said)
        self.assertIn("OPENMP, SERIAL, Kokkos 5.1.1", said)

    def test_devices_of_the_machine(self):
        self.tool("nvcc", "Cuda compilation tools, release 13.0, V13.0.48")
        for gpus, devices in [("GPU 0: NVIDIA H200", "CUDA, OPENMP, SERIAL"), ("No devices were found", "OPENMP, SERIAL")]:
            self.tool("nvidia-smi", gpus)
            with self.subTest(gpus=gpus):
                done, said = self.configure("--fresh", "-DKUBATURE_KOKKOS=FETCH")
                self.assertTrue(done, said)
                self.assertIn(f"for {devices}, Kokkos", said)

    def test_named_devices(self):
        self.tool("nvidia-smi", "GPU 0: NVIDIA H200")
        done, said = self.configure("-DKUBATURE_KOKKOS=FETCH", "-DKokkos_ENABLE_SERIAL=ON")
        self.assertTrue(done, said)
        self.assertIn("for SERIAL, Kokkos", said)

    def test_refused(self):
        done, said = self.configure("-DKUBATURE_KOKKOS=GUESS")
        self.assertFalse(done)
        self.assertIn("KUBATURE_KOKKOS is GUESS: it is AUTO, INSTALLED or FETCH", said)
        done, said = self.configure(self.NONE, "-DKUBATURE_KOKKOS=INSTALLED")
        self.assertFalse(done)
        self.assertIn("finds no Kokkos: name one by Kokkos_ROOT", said)

    def test_bad_pairs(self):
        self.tool("nvcc", "Cuda compilation tools, release 13.0, V13.0.48")
        self.tool("nvidia-smi", "GPU 0: NVIDIA H200")
        for version, bad in [("4.6.2", True), ("4.7.1", False), ("5.1.1", False)]:
            with self.subTest(version=version):
                done, said = self.configure("--fresh", "-DKUBATURE_KOKKOS=FETCH", version=version)
                self.assertTrue(done, said)
                self.assertEqual(f"Kokkos {version} does not compile with nvcc 13" in said, bad, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
