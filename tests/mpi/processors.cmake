# How many processors ctest is to count for jobs of so many ranks: ranks wait for each other, and jobs that start or
# end for their processes, so that four of them keep hardly one processor busy. tests/run lets ctest give away two for
# each that the machine has: nowhere more than eight ranks share one.
function(strata_processors result ranks)
  math(EXPR processors "(${ranks} + 3) / 4")
  set(${result} ${processors} PARENT_SCOPE)
endfunction()
