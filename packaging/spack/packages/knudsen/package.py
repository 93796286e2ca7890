# SPDX-License-Identifier: MIT
from spack.package import *


class Knudsen(CMakePackage, CudaPackage):
    """Solver for the Boltzmann equation of rarefied gases on a grid of space and velocity: the deviation
    from equilibrium is computed, so that slow and unsteady flows come out free of the noise of particle
    methods. A program and a C library, for CPUs and NVIDIA GPUs."""

    license("MIT")

    # Built from the sources beside this recipe: spack dev-build, see packaging/README.md.
    version("0.2.0")

    variant("mpi", default=True, description="Run on many machines")
    variant("shared", default=True, description="Also build the shared library")
    variant("tests", default=False, description="Build the tests; spack install --test=root runs them")
    variant("python", default=True, description="Install Python with the libraries that plot, sweep, verify and reproduce need")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("help2man", type="build")
    depends_on("gzip", type="build")
    depends_on("mpi@3:", when="+mpi")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("hdf5", when="+mpi")
    depends_on("libyaml")
    depends_on("udunits")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("random123", type="build")
    depends_on("openblas")
    depends_on("cmocka", type="build", when="+tests")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type="run", when="+python")
    depends_on("py-h5py~mpi", type="run", when="+python~mpi")
    depends_on("py-h5py", type="run", when="+python+mpi")
    depends_on("py-matplotlib@3.6:", type="run", when="+python")

    # The first version that compiles the sources for these GPUs.
    depends_on("cuda@12:", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        openblas = self.spec["openblas"]
        args = [
            self.define("KN_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("KN_MPI", "ON" if self.spec.satisfies("+mpi") else "OFF"),
            self.define_from_variant("KN_TESTS", "tests"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            # OpenBLAS of Spack contains LAPACKE.
            self.define("OPENBLAS_LIBRARY", openblas.libs[0]),
            self.define("LAPACKE_LIBRARY", openblas.libs[0]),
            self.define("LAPACKE_INCLUDE_DIR", openblas.prefix.include),
        ]
        cards = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ["none"]
        if cards[0] != "none":
            args.append(self.define("KN_CUDA_ARCHITECTURES", [f"{card}-real" for card in cards]))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        knudsen = Executable(self.prefix.bin.knudsen)
        knudsen("verify", "--list")
        knudsen("verify", "fourier")
