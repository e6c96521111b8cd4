#pragma once
// The only door to Open MPI's internal headers, and the only place that knows how its releases differ.
// The headers are C; the notes say which line a C++ compiler stumbles over.
#include <cstdint>

#include "ompi_config.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvolatile"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"

#if OMPI_MAJOR_VERSION < 4 || OMPI_MAJOR_VERSION > 6
#error "this plugin is built for Open MPI 4.1 and 5.0, and written for 6"
#endif

#if OMPI_MAJOR_VERSION > 5
// count_disp_array.h: passes const void * where it wants const int * or const size_t *, numbers of 32 bits
// being marked by the lowest bit; there and in op.h are words that C++ writes otherwise.
inline std::intptr_t opal_count_array_create(const void* counts) {
    return reinterpret_cast<std::intptr_t>(counts) | 1;
}
inline std::intptr_t opal_count_array_create_c(const void* counts) {
    return reinterpret_cast<std::intptr_t>(counts);
}
inline std::intptr_t opal_disp_array_create(const void* displacements) {
    return reinterpret_cast<std::intptr_t>(displacements) | 1;
}
inline std::intptr_t opal_disp_array_create_c(const void* displacements) {
    return reinterpret_cast<std::intptr_t>(displacements);
}
#define _Static_assert static_assert
#define _Alignof alignof
#define restrict __restrict
#endif

#if OMPI_MAJOR_VERSION == 4
// thread_usage.h: the compare-exchange macro passes void * where request.h's inline functions need void **.
#include "opal/threads/thread_usage.h"
#undef OPAL_THREAD_COMPARE_EXCHANGE_STRONG_PTR
#define OPAL_THREAD_COMPARE_EXCHANGE_STRONG_PTR(target, expected, desired)                    \
    opal_thread_compare_exchange_strong_ptr((volatile intptr_t*)(target), (void**)(expected), \
                                            (void*)(desired))
#else
// event.h opens extern "C" twice and closes it once: here it finds both macros empty.
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>
#pragma push_macro("BEGIN_C_DECLS")
#pragma push_macro("END_C_DECLS")
#undef BEGIN_C_DECLS
#undef END_C_DECLS
#define BEGIN_C_DECLS
#define END_C_DECLS
extern "C" {
#include "opal/util/event.h"
}
#pragma pop_macro("END_C_DECLS")
#pragma pop_macro("BEGIN_C_DECLS")
// communicator.h: ompi_comm_lookup_cid() passes void * where the table wants void **.
#include "opal/class/opal_hash_table.h"
#define opal_hash_table_get_value_ptr(table, key, size, value) \
    opal_hash_table_get_value_ptr(table, key, size, (void**)(value))
#endif

#include "ompi/communicator/communicator.h"
#if OMPI_MAJOR_VERSION > 4
#undef opal_hash_table_get_value_ptr
#endif
#include "ompi/datatype/ompi_datatype.h"
// op.h: ompi_3buff_op_user() passes void * where the copy function wants char *.
#define ompi_datatype_copy_content_same_ddt(type, count, to, from) \
    ompi_datatype_copy_content_same_ddt(type, count, (char*)(to), (char*)(from))
#include "ompi/op/op.h"
#undef ompi_datatype_copy_content_same_ddt
#include "ompi/group/group.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_base_topo.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/runtime/params.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/base/mca_base_var.h"
extern "C" {  // declares its functions without linkage
#include "opal/mca/base/mca_base_pvar.h"
}
#include "opal/mca/hwloc/base/base.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/if.h"
#include "opal/util/output.h"
#include "opal/util/show_help.h"
#if OMPI_MAJOR_VERSION == 4
#include "ompi/mca/rte/rte.h"
#include "opal/mca/pmix/pmix.h"
#include "opal/runtime/opal_params.h"
#include "orte/util/proc_info.h"
#else
#include "ompi/runtime/ompi_rte.h"
#include "opal/mca/accelerator/base/base.h"
#include "opal/mca/pmix/pmix-internal.h"
#endif
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
// Missing where Open MPI is built without fault tolerance: there the plugin is to be loaded, too, and to say
// why it steps aside.
#pragma weak ompi_ftmpi_enabled
#pragma weak ompi_ftmpi_output_handle
#pragma weak ompi_request_is_failed_fn
#endif
#if OMPI_MAJOR_VERSION > 5
#undef _Static_assert
#undef _Alignof
#undef restrict
#endif
#pragma GCC diagnostic pop

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "component/base/interfaces.h"

// The interface that this release has its components speak.
#if OMPI_MAJOR_VERSION == 4
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#elif OMPI_MAJOR_VERSION == 5
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
#else
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
#endif

namespace strata::component::compat {

// How collectives take numbers of elements, and arrays of them and of displacements.
#if OMPI_MAJOR_VERSION > 5
constexpr bool components_install_themselves = true;  ///< in coll_module_enable; else Open MPI does it
using Count = std::size_t;
using Counts = ompi_count_array_t;
using Displacements = ompi_disp_array_t;
inline std::size_t count_at(Counts counts, std::size_t i) { return ompi_count_array_get(counts, i); }
inline std::ptrdiff_t displacement_at(Displacements all, std::size_t i) {
    return ompi_disp_array_get(all, i);
}
inline Counts counts_of(const int* counts) { return ompi_count_array_create(counts); }
inline Displacements displacements_of(const int* all) { return ompi_disp_array_create(all); }
#else
constexpr bool components_install_themselves = false;
using Count = int;
using Counts = const int*;
using Displacements = const int*;
inline std::size_t count_at(Counts counts, std::size_t i) { return static_cast<std::size_t>(counts[i]); }
inline std::ptrdiff_t displacement_at(Displacements all, std::size_t i) { return all[i]; }
inline Counts counts_of(const int* counts) { return counts; }
inline Displacements displacements_of(const int* all) { return all; }
#endif

/// To be called first when the component opens: what is published belongs to this opening.
void count_opening();

/// Publishes `bytes` under `key` for every process of the job. Call while components open, before the
/// start-up fence.
bool publish(const char* key, std::span<const std::byte> bytes);

enum class Lookup { found, missing, failed };
/// What `process` published under `key`, without waiting for anybody. Answers alike on every process of the
/// job after the start-up fence, unless there is an obstacle_to_lookup(). `status`, where given: what PMIx,
/// or Open MPI's door to it, said.
Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes,
              int* status = nullptr);

// From this process's own memory; `missing` where the launcher does not tell.
/// The name of the node that runs `process`.
Lookup node_name(const opal_process_name_t& process, std::string& node, int& status);
/// The names of the job's nodes, as "n0,n1".
Lookup job_nodes(std::string& names, int& status);
/// The job's processes on a node by its name there, or on this process's where that is empty, as "0,1,7".
Lookup node_processes(const std::string& node, std::string& processes, int& status);

/// Why lookup() may not answer alike on all processes when the first communicator is made; nullptr where it
/// does.
const char* obstacle_to_lookup();

/// The name of the node that runs `process`; empty when unknown.
std::string node_of(const opal_process_name_t& process);
/// The nodes of these processes of a job (any process of it), the first few by name.
std::string node_names(opal_process_name_t job, const std::vector<std::uint32_t>& processes);
std::string own_node();
opal_process_name_t own_name();
/// Whether this job was started by MPI_Comm_spawn.
bool is_spawned();
/// Number of processes of this job; their ids run from 0.
std::uint32_t own_job_size();

/// The cores that the launcher bound this process to, as hwloc's list of OS indices; empty when it did not.
std::string own_cpuset();
/// Rank of this process among those of its job on the same node, from 0.
int own_local_rank();
/// The addresses that Open MPI itself knows of this node's interfaces: those that are up, with an IPv4 or a
/// global IPv6 address.
std::vector<InterfaceAddress> interface_addresses();
/// Hardware of this node, kept alive by Open MPI; nullptr when it has none.
hwloc_topology_t node_topology();
/// The same where Open MPI has it already; else null.
hwloc_topology_t known_topology();
/// True where node_topology() takes next to no time, because the launcher has it in shared memory.
bool launcher_shares_topology();
/// The other coll components of this process, in name order.
std::vector<std::string> coll_components();
/// True when messages between nodes use TCP interfaces (pml/ob1 without openib), false when they use fabric
/// devices. Equal on all processes that agree on transport_choice(): Open MPI compares the rest.
bool uses_ip();
/// What uses_ip() rests on beside the selected point-to-point layer.
std::string transport_choice();
/// True where the user has libfabric or UCX, if that is what carries messages, go over IP.
bool fabric_is_ip();
/// True when the user asked for libfabric.
bool libfabric_is_asked_for();
/// True where a receive that is cancelled ends. Over pml/cm that depends on the MTL: mtl/ofi ends it later,
/// by an error that libfabric queues, which 4.1.4 does not survive; mtl/psm2 and mtl/portals4 may leave it as
/// it is.
bool cancels_receives();
/// True when the user chose btl/openib, which no longer is a default.
bool openib_is_used();
/// True where coll/han and the priority of coll/tuned are as they come: nobody asked for han, or set it up.
/// As it is when this is first called.
bool han_is_default();
/// A module of a coll component for a communicator, ready to be called; the caller owns it. nullptr where the
/// component is not there or does not want to, alike on all members of a communicator, or `failed` here.
mca_coll_base_module_t* make_module(std::string_view component, ompi_communicator_t* comm, bool& failed);
/// Of a communicator that MPI_Finalize may release before the one that it was made of, and that frees it
/// again.
void keep_beyond_parent(ompi_communicator_t* comm);
/// Bruck's Allgather, one of the base algorithms.
int allgather_bruck(const void* send, Count send_count, ompi_datatype_t* send_type, void* receive,
                    Count count, ompi_datatype_t* type, ompi_communicator_t* comm,
                    mca_coll_base_module_t* module);
/// A communicator of some ranks of another one, without context id, collectives and attributes; local.
/// Returns Open MPI's error code; the caller owns `made`.
int bare_communicator(ompi_communicator_t* parent, std::span<int> ranks, ompi_communicator_t** made);
/// A number that all members of a communicator know and that differs from its siblings'.
std::uint64_t creation_number(const ompi_communicator_t* comm);
/// A tag for making communicators of `parent`'s members, equal on all of them. Open MPI orders creations by
/// the parent's number and the tag, as long as the tag is no less than 0; a negative one it takes alone, and
/// before all others. So each parent has a tag of its own: what several threads make of several parents keeps
/// one order in all processes, and what the program has only begun (MPI_Comm_idup) is not waited for.
int creation_tag(const ompi_communicator_t* parent);
/// MPI_Finalize releases communicators that are left by ascending number of this kind.
std::uint32_t release_number(const ompi_communicator_t* comm);
/// True where that number is the same on all members: not of communicators that sessions make.
bool is_numbered_alike(const ompi_communicator_t* comm);
/// False when no info object can have been given for a communicator, alike on all its members. Ask while
/// components are selected for it.
bool may_have_info(ompi_communicator_t* comm);
struct InfoEntry {
    std::string key;
    std::string value;
};
/// What the info object of a communicator holds.
std::vector<InfoEntry> info_entries(ompi_communicator_t* comm);
/// True within MPI_Init.
bool is_starting();
/// Needs no memory.
bool has_info(ompi_communicator_t* comm, std::string_view key) noexcept;
/// A text MCA variable of another component ("opal", "btl", "tcp", "if_include"); empty when there is none.
std::string text_variable(const char* project, const char* framework, const char* component,
                          const char* name);
/// True where programs may hand over buffers in the memory of GPUs, which only Open MPI knows to tell from
/// others.
bool supports_gpu_buffers();
/// True where the others go on when a process dies (mpi_ft_enable, ULFM).
inline bool survives_failures() {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return ompi_ftmpi_enabled;
#else
    return false;
#endif
}
/// Ends a request that nobody will complete: a process has died, or the communicator is revoked. For loops
/// that do not wait by Open MPI's own functions. True when the request is complete, with its error.
inline bool end_if_hopeless([[maybe_unused]] ompi_request_t* request) {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return ompi_request_is_failed(request);
#else
    return false;
#endif
}
/// True for the errors that come of it.
inline bool is_failed_process([[maybe_unused]] int rc) {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return rc == MPI_ERR_PROC_FAILED || rc == MPI_ERR_PROC_FAILED_PENDING || rc == MPI_ERR_REVOKED;
#else
    return false;
#endif
}
/// Byte order and type sizes of this process.
std::uint32_t architecture();

/// An unsigned MCA variable of another component ("opal", "btl", "tcp", "eager_limit"), or `otherwise`.
std::size_t size_variable(const char* project, const char* framework, const char* component, const char* name,
                          std::size_t otherwise);

}  // namespace strata::component::compat
