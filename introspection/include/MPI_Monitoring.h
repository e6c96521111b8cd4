/* Monitoring sessions: how many messages and bytes each process of a communicator sent to each other one while a part of a
 * program ran (RR-9292, section 4). A session belongs to a communicator, but counts all traffic between its members over
 * any communicator. Sessions may overlap and nest.
 *
 * The counts are Open MPI's; a job has to enable them at its start:
 *
 *     mpirun --mca pml_monitoring_enable 1 ./program         or         strata-monitor mpirun ./program
 *
 * Otherwise, or with another MPI, MPI_M_init returns MPI_M_MPIT_FAIL everywhere and rank 0 prints the reason. Open MPI
 * counts neither messages of persistent requests (MPI_Send_init) nor those to other jobs.
 *
 *     MPI_M_msid id;
 *     MPI_M_init();
 *     MPI_M_start(MPI_COMM_WORLD, &id);
 *     ...                                                     // is counted
 *     MPI_M_suspend(id);
 *     MPI_M_rootflush(id, 0, "barrier", MPI_M_P2P_ONLY);      // barrier_counts.0.prof, barrier_sizes.0.prof
 *     MPI_M_free(id);
 *     MPI_M_finalize();
 *
 * Rules for all functions except MPI_M_get_info:
 *   - Collective over the session's communicator; MPI_M_init and MPI_M_finalize over MPI_COMM_WORLD (and, if sessions
 *     join several jobs, over all of these). Suspend, continue, reset and free do not synchronise.
 *   - With MPI_THREAD_MULTIPLE several threads may call them at once; all processes must make the calls for one
 *     communicator or session in the same order, as for any collective.
 *   - Not in signal handlers: they call MPI, which is not safe there.
 *   - They return MPI_SUCCESS or an MPI_M_ code. If some processes find an error, all return one (of several codes the
 *     greatest) and none waits for ever; exceptions are MPI_M_MISSING_INIT, MPI_M_INVALID_MSID for an id, and an invalid
 *     communicator. Suspend, continue, reset and free return each process's own finding. If free succeeded on some
 *     processes only, later calls return MPI_M_INVALID_MSID there, and calls that synchronise block the others for ever:
 *     check these four on all processes.
 *   - Their own messages are in no session; all others are counted, with one exception: during the first MPI_M_start on
 *     a communicator other than MPI_COMM_WORLD, and while such a communicator is freed, nothing that the process sends
 *     is counted if it has MPI_THREAD_MULTIPLE or if the communicator has processes of other jobs. This includes
 *     messages of other threads and of pending operations: complete these first.
 */
#ifndef MPI_MONITORING_H
#define MPI_MONITORING_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Identifies a session. Ids of freed sessions are not reused before 33 million others. */
typedef int MPI_M_msid;

/** Errors. None equals MPI_SUCCESS, or an error class of Open MPI. */
enum {
    MPI_M_INTERNAL_FAIL = 7001,         /**< out of memory; a file that cannot be written; no file name, invalid flags */
    MPI_M_MPIT_FAIL = 7002,             /**< a function of MPI or MPI_T failed, or the requested traffic is not counted */
    MPI_M_MISSING_INIT = 7003,          /**< before MPI_M_init, or after MPI_M_finalize or MPI_Finalize */
    MPI_M_SESSION_STILL_ACTIVE = 7004,  /**< MPI_M_finalize before every session was suspended */
    MPI_M_SESSION_NOT_SUSPENDED = 7005, /**< data, reset and free require suspended sessions */
    MPI_M_INVALID_MSID = 7006,          /**< not the id of a session; a null pointer; MPI_M_ALL_MSID where not allowed */
    MPI_M_SESSION_OVERFLOW = 7007,      /**< a process already has MPI_M_MAX_SESSIONS */
    MPI_M_MULTIPLE_CALL = 7008,         /**< MPI_M_init twice; suspend of a suspended, continue of an active session */
    MPI_M_INVALID_ROOT = 7009           /**< not a rank of the communicator, or not equal on all processes */
};

/** Limit on the sessions of a process, active and suspended ones together. */
enum { MPI_M_MAX_SESSIONS = 64 };

/** For MPI_M_suspend, continue, reset and free: all sessions of the calling process in the right state: suspends the
 *  active ones, or continues, resets or frees the suspended ones. Sessions in the other state, or no session at all, are
 *  no error. Sessions suspended or continued together change at one moment. */
#define MPI_M_ALL_MSID ((MPI_M_msid)-1)

/** Replaces an output that is not wanted. */
#define MPI_M_INT_IGNORE ((int *)0)
#define MPI_M_DATA_IGNORE ((unsigned long *)0)

/** The traffic to count; combine with |. */
enum {
    MPI_M_P2P_ONLY = 1,  /**< all messages: the program's own and those that collective operations send; under
                              pml_monitoring_enable 2 without the latter */
    MPI_M_COLL_ONLY = 2, /**< collective calls, as Open MPI estimates them: a Bcast as one message from the root to each
                              other process, a Barrier as one of 0 bytes to each; twice if it uses others inside */
    MPI_M_OSC_ONLY = 4,  /**< one-sided calls. A Put or Accumulate is a message of its origin. A Get is a message of 0
                              bytes of its origin and one of its target with the data; fetch-and-op calls are both */
    /** Everything once: under pml_monitoring_enable 1 collective calls count as the messages that they send, without the
     *  estimates. Under 2 the estimates are added, so that a collective call that uses others inside (an Allreduce that
     *  is a Reduce and a Bcast, hierarchical ones) counts more than once. The same holds for any other sum of P2P and
     *  COLL. Components that carry one-sided calls by messages (osc/pt2pt of 4.1) count as both. */
    MPI_M_ALL_COMM = 7
};

/** Begins monitoring. Collective over MPI_COMM_WORLD. MULTIPLE_CALL, MPIT_FAIL, INTERNAL_FAIL. */
int MPI_M_init(void);

/** Ends monitoring and frees the remaining sessions. Collective over MPI_COMM_WORLD. MPI_M_init may follow. MPI_Finalize
 *  does the same, even with active sessions.
 *  MISSING_INIT, SESSION_STILL_ACTIVE (everywhere, if any process has an active one; monitoring then goes on). */
int MPI_M_finalize(void);

/** Creates an active session. Processes of other jobs (MPI_Comm_spawn) may be members; Open MPI counts nothing between
 *  jobs, so these entries stay 0. The communicator may be freed before the session.
 *  @param msid  output; INVALID_MSID if null. MISSING_INIT, SESSION_OVERFLOW, MPIT_FAIL (comm is MPI_COMM_NULL or an
 *               intercommunicator), INTERNAL_FAIL. */
int MPI_M_start(MPI_Comm comm, MPI_M_msid *msid);

/** Stops counting. MISSING_INIT, INVALID_MSID, MULTIPLE_CALL, MPIT_FAIL.
 *
 *  MPIT_FAIL if MPI_T fails, or if Open MPI's counters were reset while the session was active (allocating or stopping a
 *  handle on pml_monitoring_flush does that): the session is suspended, but its counts are lost, and the functions for
 *  data return MPIT_FAIL on all processes until MPI_M_reset. A reset is detected if a counter is smaller than at the
 *  last reading; traffic between two readings may hide it. */
int MPI_M_suspend(MPI_M_msid msid);
/** Counts again. MISSING_INIT, INVALID_MSID, MULTIPLE_CALL, MPIT_FAIL. */
int MPI_M_continue(MPI_M_msid msid);
/** Sets all counts of the session to 0, lost ones included. MISSING_INIT, INVALID_MSID, SESSION_NOT_SUSPENDED. */
int MPI_M_reset(MPI_M_msid msid);
/** Frees the session. MISSING_INIT, INVALID_MSID, SESSION_NOT_SUSPENDED. */
int MPI_M_free(MPI_M_msid msid);

/** Local; for active and suspended sessions. MISSING_INIT, INVALID_MSID.
 *  @param provided    output or MPI_M_INT_IGNORE: MPI_THREAD_..., the lower of MPI's and MPI_T's
 *  @param array_size  output or MPI_M_INT_IGNORE: n, processes of the communicator */
int MPI_M_get_info(MPI_M_msid msid, int *provided, int *array_size);

/** Returns what the calling process sent to each member: n messages, n bytes, by rank in the communicator. The flags may
 *  differ between processes. Errors of the functions for data: MISSING_INIT, INVALID_MSID, SESSION_NOT_SUSPENDED,
 *  INTERNAL_FAIL (flags, memory), MPIT_FAIL (also if a member's counts are lost).
 *  @param msg_counts, msg_sizes  outputs of n elements, or MPI_M_DATA_IGNORE */
int MPI_M_get_data(MPI_M_msid msid, unsigned long *msg_counts, unsigned long *msg_sizes, int flags);

/** The same for all members: n rows of n, [sender * n + receiver]. The flags must be equal everywhere (INTERNAL_FAIL). */
int MPI_M_allgather_data(MPI_M_msid msid, unsigned long *matrix_counts, unsigned long *matrix_sizes, int flags);

/** The same at process root; the others' pointers are ignored. Also INVALID_ROOT.
 *  @param root  rank in the communicator */
int MPI_M_rootgather_data(MPI_M_msid msid, int root, unsigned long *matrix_counts, unsigned long *matrix_sizes,
                          int flags);

/** Each process writes FILENAME.RANK.prof, RANK its rank in the communicator: lines that begin with #, then a line
 *  "peer messages bytes" for each member. Also INTERNAL_FAIL everywhere if any file cannot be written; the process that
 *  failed prints the reason.
 *  @param filename  in an existing folder; it may differ between processes */
int MPI_M_flush(MPI_M_msid msid, const char *filename, int flags);

/** Process root writes FILENAME_counts.RANK.prof and FILENAME_sizes.RANK.prof, RANK its rank in MPI_COMM_WORLD: n
 *  lines of n numbers; line i has what process i sent. Errors as for MPI_M_rootgather_data and MPI_M_flush.
 *  @param filename  used by root only */
int MPI_M_rootflush(MPI_M_msid msid, int root, const char *filename, int flags);

#ifdef __cplusplus
}
#endif
#endif
