#pragma once
/* For packages of Open MPI 5.0 that omit this header: Open MPI's headers need these declarations of the
   library's POSIX threads. Names, types and return values are Open MPI's interface; the implementation is our
   own. An installed header takes precedence. */
#include <pthread.h>
#include <signal.h>

#include "opal/mca/mca.h"
#include "opal_config.h"

/* The library's yield function. */
BEGIN_C_DECLS
OPAL_DECLSPEC extern void (*opal_threads_pthreads_yield_fn)(void);
END_C_DECLS
