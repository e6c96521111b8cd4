# How many processors ctest counts for a job of the given number of ranks. Ranks wait for each other, and jobs that start or end
# wait for their processes, so that four ranks hardly keep one processor busy. tests/run lets ctest use two per
# processor of the machine: at most eight ranks share one.
function(strata_processors result ranks)
  math(EXPR processors "(${ranks} + 3) / 4")
  set(${result} ${processors} PARENT_SCOPE)
endfunction()
