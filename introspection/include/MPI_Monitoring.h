/* Monitoring sessions: who of a communicator sent how many messages and bytes to whom while a part of a program ran
 * (RR-9292, section 4). A session belongs to a communicator, but counts all traffic between its members, whatever
 * communicator carried it. Sessions may overlap and nest.
 *
 * The counts are Open MPI's; a job has to ask for them when it starts:
 *
 *     mpirun --mca pml_monitoring_enable 1 ./program         or         strata-monitor mpirun ./program
 *
 * Without that, or with another MPI, MPI_M_init returns MPI_M_MPIT_FAIL everywhere and rank 0 says why. Open MPI counts
 * neither messages of persistent requests (MPI_Send_init) nor those to other jobs.
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
 * Rules that hold for all functions but MPI_M_get_info:
 *   - Collective over the session's communicator, MPI_M_init and MPI_M_finalize over MPI_COMM_WORLD (and, where
 *     sessions join several jobs, over all of these). Suspend, continue, reset and free do not wait for each other.
 *   - Several threads may call them at once where MPI_THREAD_MULTIPLE is provided; calls for one communicator or one
 *     session come in the same order on all processes, as with any collective.
 *   - They return MPI_SUCCESS or an MPI_M_ code. What only one process finds wrong (but MPI_M_MISSING_INIT,
 *     MPI_M_INVALID_MSID of an id, and a communicator that is none) all processes return, and nobody waits for
 *     ever; of several codes the greatest. Not so suspend, continue, reset and free: each process returns what it
 *     finds itself. Where free succeeded on some processes only, these return MPI_M_INVALID_MSID from what follows,
 *     and a function that does wait has the others wait for ever: check these four on all processes.
 *   - What they send themselves is in no session, and nothing else is missing. But where a process has
 *     MPI_THREAD_MULTIPLE, and for a communicator with processes of other jobs, all that a process sends during the
 *     first MPI_M_start on a communicator other than MPI_COMM_WORLD, and during the end of such a communicator, is in
 *     no session either: what other threads send, and what MPI sends for operations that have not completed yet.
 *     There, complete these before.
 */
#ifndef MPI_MONITORING_H
#define MPI_MONITORING_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names a session. Ids of freed sessions are not used again before 33 million others. */
typedef int MPI_M_msid;

/** Errors. None equals MPI_SUCCESS, or an error class of Open MPI. */
enum {
    MPI_M_INTERNAL_FAIL = 7001,         /**< no memory; a file that cannot be written; no name, wrong flags */
    MPI_M_MPIT_FAIL = 7002,             /**< a function of MPI or MPI_T failed, or what is asked for is not counted */
    MPI_M_MISSING_INIT = 7003,          /**< before MPI_M_init, or after MPI_M_finalize or MPI_Finalize */
    MPI_M_SESSION_STILL_ACTIVE = 7004,  /**< MPI_M_finalize before every session was suspended */
    MPI_M_SESSION_NOT_SUSPENDED = 7005, /**< data, reset and free are for suspended sessions */
    MPI_M_INVALID_MSID = 7006,          /**< no id of a session; a null pointer; MPI_M_ALL_MSID where it may not be */
    MPI_M_SESSION_OVERFLOW = 7007,      /**< a process has MPI_M_MAX_SESSIONS already */
    MPI_M_MULTIPLE_CALL = 7008,         /**< MPI_M_init twice; suspend of a suspended, continue of an active session */
    MPI_M_INVALID_ROOT = 7009           /**< not a rank of the communicator, or not the same everywhere */
};

/** Sessions that a process can have at a time, active and suspended ones together. */
enum { MPI_M_MAX_SESSIONS = 64 };

/** MPI_M_suspend, continue, reset and free: all sessions of the calling process to which that applies: suspend the
 *  active ones, continue, reset or free the suspended ones. The others stay as they are, and that is no error; nor
 *  is having none. Sessions that are suspended or continued together are so at one moment. */
#define MPI_M_ALL_MSID ((MPI_M_msid)-1)

/** In place of an output that is not wanted. */
#define MPI_M_INT_IGNORE ((int *)0)
#define MPI_M_DATA_IGNORE ((unsigned long *)0)

/** What to count: one of these or several, with |. */
enum {
    MPI_M_P2P_ONLY = 1,  /**< all messages: the program's own and those of which collective operations consist; under
                              pml_monitoring_enable 2 without the latter */
    MPI_M_COLL_ONLY = 2, /**< collective calls, as Open MPI estimates them: a Bcast as one message from the root to each
                              other process, a Barrier as one of 0 bytes to each; twice if it uses others inside */
    MPI_M_OSC_ONLY = 4,  /**< one-sided calls. A Put or Accumulate is a message of its origin. A Get is one of 0 bytes
                              of its origin and one of its target with the data; what fetches and changes is both */
    /** Everything once: under pml_monitoring_enable 1 collective calls count as the messages of which they consist, and
     *  the estimates are not added; under 2 they are, so that a collective call that uses others inside (an Allreduce
     *  that is a Reduce and a Bcast, hierarchical ones) counts more than once. The same for any other sum of P2P and
     *  COLL. Over components that carry one-sided calls by messages (osc/pt2pt of 4.1) these count as both. */
    MPI_M_ALL_COMM = 7
};

/** Begins monitoring. Collective over MPI_COMM_WORLD. MULTIPLE_CALL, MPIT_FAIL, INTERNAL_FAIL. */
int MPI_M_init(void);

/** Ends it; sessions that are left are freed. Collective over MPI_COMM_WORLD. MPI_M_init may follow. MPI_Finalize does
 *  the same, active sessions or not.
 *  MISSING_INIT, SESSION_STILL_ACTIVE (everywhere, if any process has an active one; then nothing has ended). */
int MPI_M_finalize(void);

/** A new, active session. Processes of other jobs (MPI_Comm_spawn) may be members; Open MPI counts nothing between
 *  jobs, so that such entries stay 0. The communicator may be freed before the session.
 *  @param msid  output; INVALID_MSID if null. MISSING_INIT, SESSION_OVERFLOW, MPIT_FAIL (comm is MPI_COMM_NULL or an
 *               intercommunicator), INTERNAL_FAIL. */
int MPI_M_start(MPI_Comm comm, MPI_M_msid *msid);

/** MISSING_INIT, INVALID_MSID, MULTIPLE_CALL, MPIT_FAIL.
 *
 *  MPIT_FAIL, where MPI_T fails or Open MPI's counters were reset while the session was active (a handle on
 *  pml_monitoring_flush does that when it is allocated or stopped): the session is suspended, but its counts are lost.
 *  The functions for data then return MPIT_FAIL on all processes, until MPI_M_reset. A reset is seen where a counter is
 *  smaller than when it was last looked at; what is sent between looks may hide it. */
int MPI_M_suspend(MPI_M_msid msid);
/** MISSING_INIT, INVALID_MSID, MULTIPLE_CALL, MPIT_FAIL. */
int MPI_M_continue(MPI_M_msid msid);
/** All counts of the session become 0; lost ones, too. MISSING_INIT, INVALID_MSID, SESSION_NOT_SUSPENDED. */
int MPI_M_reset(MPI_M_msid msid);
/** MISSING_INIT, INVALID_MSID, SESSION_NOT_SUSPENDED. */
int MPI_M_free(MPI_M_msid msid);

/** Local; of active and suspended sessions. MISSING_INIT, INVALID_MSID.
 *  @param provided    output or MPI_M_INT_IGNORE: MPI_THREAD_..., the lower of MPI's and MPI_T's
 *  @param array_size  output or MPI_M_INT_IGNORE: n, processes of the communicator */
int MPI_M_get_info(MPI_M_msid msid, int *provided, int *array_size);

/** What the calling process sent to each member: n messages, n bytes, in the order of ranks in the communicator. Each
 *  process may give other flags. What the functions for data return: MISSING_INIT, INVALID_MSID,
 *  SESSION_NOT_SUSPENDED, INTERNAL_FAIL (flags, memory), MPIT_FAIL (also where a member's counts are lost).
 *  @param msg_counts, msg_sizes  outputs of n elements, or MPI_M_DATA_IGNORE */
int MPI_M_get_data(MPI_M_msid msid, unsigned long *msg_counts, unsigned long *msg_sizes, int flags);

/** The same of all members: n rows of n, [sender * n + receiver]. The flags are the same everywhere (INTERNAL_FAIL). */
int MPI_M_allgather_data(MPI_M_msid msid, unsigned long *matrix_counts, unsigned long *matrix_sizes, int flags);

/** The same at one process; the others' pointers are not looked at. Besides: INVALID_ROOT.
 *  @param root  rank in the communicator */
int MPI_M_rootgather_data(MPI_M_msid msid, int root, unsigned long *matrix_counts, unsigned long *matrix_sizes,
                          int flags);

/** Each process writes FILENAME.RANK.prof, RANK its rank in the communicator: lines that begin with #, then a line
 *  "peer messages bytes" for each member. Besides: INTERNAL_FAIL everywhere if any cannot be written; the process that
 *  cannot says why.
 *  @param filename  with an existing folder; it may differ between processes */
int MPI_M_flush(MPI_M_msid msid, const char *filename, int flags);

/** Process root writes FILENAME_counts.RANK.prof and FILENAME_sizes.RANK.prof, RANK its rank in MPI_COMM_WORLD: n
 *  lines of n numbers, line i what process i sent. Errors as for MPI_M_rootgather_data and MPI_M_flush.
 *  @param filename  looked at by root alone */
int MPI_M_rootflush(MPI_M_msid msid, int root, const char *filename, int flags);

#ifdef __cplusplus
}
#endif
#endif
