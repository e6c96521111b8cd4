#pragma once
/* See threads_pthreads.h. The library's mutex is a POSIX mutex, its condition a POSIX condition; both are
   part of the layout of opal_mutex_t. */
#include "opal/mca/threads/pthreads/threads_pthreads.h"

typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;

#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER PTHREAD_COND_INITIALIZER
#if defined(PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP)
#define OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#endif

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t* mutex, bool recursive) {
    pthread_mutexattr_t kind;
    int failed = pthread_mutexattr_init(&kind);
    if (failed) return OPAL_ERR_IN_ERRNO;
    if (recursive) failed = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    if (!failed) failed = pthread_mutex_init(mutex, &kind);
    pthread_mutexattr_destroy(&kind);
    return failed ? OPAL_ERR_IN_ERRNO : OPAL_SUCCESS;
}

static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t* mutex) {
    pthread_mutex_lock(mutex);
}

static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t* mutex) {
    return pthread_mutex_trylock(mutex) ? 1 : 0;
}

static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t* mutex) {
    pthread_mutex_unlock(mutex);
}

static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t* mutex) {
    pthread_mutex_destroy(mutex);
}

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t* condition) {
    return pthread_cond_init(condition, NULL) ? OPAL_ERR_IN_ERRNO : OPAL_SUCCESS;
}

static inline void opal_thread_internal_cond_wait(opal_thread_internal_cond_t* condition,
                                                  opal_thread_internal_mutex_t* mutex) {
    pthread_cond_wait(condition, mutex);
}

static inline void opal_thread_internal_cond_broadcast(opal_thread_internal_cond_t* condition) {
    pthread_cond_broadcast(condition);
}

static inline void opal_thread_internal_cond_signal(opal_thread_internal_cond_t* condition) {
    pthread_cond_signal(condition);
}

static inline void opal_thread_internal_cond_destroy(opal_thread_internal_cond_t* condition) {
    pthread_cond_destroy(condition);
}
