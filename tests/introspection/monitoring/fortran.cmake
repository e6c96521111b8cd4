enable_language(Fortran)
# Where INTEGER is longer than C's int the library compiles, and programs that include rather than use do not.
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
  set(longer ${CMAKE_Fortran_COMPILER} -fdefault-integer-8 -fsyntax-only -J ${CMAKE_CURRENT_BINARY_DIR}
             -I ${PROJECT_SOURCE_DIR}/introspection/include)
  set(sources ${PROJECT_SOURCE_DIR}/introspection/fortran)
  add_test(NAME monitoring.long_integer.library
           COMMAND ${longer} ${sources}/mpi_monitoring.f90 ${sources}/monitoring_calls.f90)
  add_test(NAME monitoring.long_integer.include
           COMMAND ${CMAKE_COMMAND} "-DMUST_PRINT=MPI_Monitoring.inc.*Division by zero" -P
                   ${PROJECT_SOURCE_DIR}/tests/mpi/must_fail.cmake -- ${longer} ${CMAKE_CURRENT_SOURCE_DIR}/included.f)
  set_tests_properties(monitoring.long_integer.library monitoring.long_integer.include
                       PROPERTIES LABELS introspection TIMEOUT 60)
endif()

# The programs in Fortran; MPI_Fortran is that of the same MPI.
if(NOT MPI_Fortran_COMPILER)
  string(REGEX REPLACE "mpicxx|mpic\\+\\+" "mpifort" wrapper "${MPI_CXX_COMPILER}")
  find_program(MPI_Fortran_COMPILER NAMES ${wrapper} DOC "Fortran compiler wrapper of the same MPI")
endif()
find_package(MPI COMPONENTS Fortran)
if(NOT MPI_Fortran_FOUND)
  message(STATUS "No MPI for Fortran: its tests are left out")
  return()
endif()
foreach(style module include)
  add_executable(monitoring_errors_${style} errors.F90)
  target_link_libraries(monitoring_errors_${style} PRIVATE strata_introspection_fortran MPI::MPI_Fortran)
endforeach()
target_compile_definitions(monitoring_errors_include PRIVATE INCLUDED)
add_executable(monitoring_old_program old_program.f)
target_link_libraries(monitoring_old_program PRIVATE strata_introspection_fortran MPI::MPI_Fortran)
