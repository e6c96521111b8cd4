#pragma once
/* Of Open MPI 5.0, for packages that leave this header out: its headers need what follows of the threads that the
   library was built with (POSIX). Names, types and what functions return are its interface; the text is ours. An
   installed header comes first. */
#include <pthread.h>
#include <signal.h>

#include "opal/mca/mca.h"
#include "opal_config.h"

/* How this process gives way, one of the library's variables. */
BEGIN_C_DECLS
OPAL_DECLSPEC extern void (*opal_threads_pthreads_yield_fn)(void);
END_C_DECLS
