# For targets that compile or run ordinary MPI programs: sets MPI::MPI_CXX and STRATA_MPIRUN to Open MPI's, even if
# another MPI is the machine's default.
if(NOT MPI_CXX_COMPILER)
  find_program(MPI_CXX_COMPILER NAMES mpicxx.openmpi DOC "Open MPI's C++ compiler wrapper")
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)
include(${PROJECT_SOURCE_DIR}/cmake/MpiRun.cmake)
