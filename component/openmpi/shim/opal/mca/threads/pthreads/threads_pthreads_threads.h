#pragma once
/* See threads_pthreads.h. */
#include "opal/mca/threads/pthreads/threads_pthreads.h"

static inline void opal_thread_yield(void) { opal_threads_pthreads_yield_fn(); }
