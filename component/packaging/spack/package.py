# A recipe for Spack 0.23, which has parsed it but never run it. `spack repo create strata`, copy this folder to
# strata/packages/coll-strata, `spack repo add strata`, then `spack dev-build -d SOURCE-TREE coll-strata@main`. Spack's Open
# MPI must be built with --with-devel-headers.
from spack.package import *


class CollStrata(CMakePackage):
    """Topology-aware multilevel collectives for Open MPI: a coll component that finds the hardware hierarchy of every
    communicator and runs Bcast, Reduce, Allreduce, Allgather, Gather, Scatter and Barrier as a pipeline over it; and a
    library that reports this hierarchy, the traffic of a program and a better order of its ranks to the program."""

    maintainers = []

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("tools", default=True, description="Build strata-topo, which shows hierarchies and choices without a job")
    variant("scotch", default=True, description="Reorder ranks with Scotch, otherwise with a greedy method")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    # The releases whose structures component/base/layout_epochs.h lists. Spack builds the plugin for each one separately.
    depends_on("openmpi@4.1.0:4.1.8,5.0.0:5.0.10")
    depends_on("pmix", when="^openmpi@5.0:")
    depends_on("hwloc@2:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2:", when="+tools")
    depends_on("scotch@7:+shared", when="+scotch")
    depends_on("python@3.9:", type="run")  # strata-report

    def cmake_args(self):
        return [
            self.define("STRATA_PLUGIN_DIR", self.plugin_folder),
            self.define("STRATA_TESTS", False),
            self.define("STRATA_BENCH", False),
            self.define("STRATA_EXAMPLES", False),
            self.define("STRATA_SCOTCH", "+scotch" in self.spec),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CLI11", "~tools" in self.spec),
        ]

    @property
    def plugin_folder(self):
        return join_path(self.prefix.lib, "openmpi")

    def setup_run_environment(self, env):
        env.prepend_path("OMPI_MCA_opal_mca_base_component_path", "USER_DEFAULT")
        env.prepend_path("OMPI_MCA_opal_mca_base_component_path", "SYSTEM_DEFAULT")
        env.prepend_path("OMPI_MCA_opal_mca_base_component_path", self.plugin_folder)
        # For programs that link the introspection library. Spack's own modules set all other folders.
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
