#pragma once
// The only header that includes Open MPI's internal headers and handles the differences of its releases.
// The headers are C; each workaround names the code that does not compile as C++.
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
// count_disp_array.h passes const void * for const int * or const size_t * (the lowest bit marks 32-bit
// numbers). It and op.h use keywords of C that differ in C++.
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
// thread_usage.h: the compare-exchange macro passes void * for void ** in request.h's inline functions.
#include "opal/threads/thread_usage.h"
#undef OPAL_THREAD_COMPARE_EXCHANGE_STRONG_PTR
#define OPAL_THREAD_COMPARE_EXCHANGE_STRONG_PTR(target, expected, desired)                    \
    opal_thread_compare_exchange_strong_ptr((volatile intptr_t*)(target), (void**)(expected), \
                                            (void*)(desired))
#else
// event.h opens extern "C" twice and closes it once: make both macros empty.
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
// communicator.h: ompi_comm_lookup_cid() passes void * for void **.
#include "opal/class/opal_hash_table.h"
#define opal_hash_table_get_value_ptr(table, key, size, value) \
    opal_hash_table_get_value_ptr(table, key, size, (void**)(value))
#endif

#include "ompi/communicator/communicator.h"
#if OMPI_MAJOR_VERSION > 4
#undef opal_hash_table_get_value_ptr
#endif
#include "ompi/datatype/ompi_datatype.h"
// op.h: ompi_3buff_op_user() passes void * for char *.
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
// Weak, because an Open MPI built without fault tolerance lacks them: the plugin must load there, too, to
// report why it cannot run.
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

// The version of the coll interface in this release.
#if OMPI_MAJOR_VERSION == 4
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#elif OMPI_MAJOR_VERSION == 5
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
#else
#define STRATA_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
#endif

namespace strata::component::compat {

// Types of counts, and of arrays of counts and displacements, in the coll interface.
#if OMPI_MAJOR_VERSION > 5
constexpr bool components_install_themselves = true;  ///< in coll_module_enable; else Open MPI installs them
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

/// Must be called first when the component opens: published data belongs to one opening.
void count_opening();

/// Publishes `bytes` under `key` for every process of the job. Call while components open, before the
/// start-up fence.
bool publish(const char* key, std::span<const std::byte> bytes);

enum class Lookup { found, missing, failed };
/// Reads the data that `process` published under `key`, without waiting for any process. The answer is the
/// same on every process of the job after the start-up fence, unless there is an obstacle_to_lookup().
/// `status`: the code of PMIx or of Open MPI's wrapper.
Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes,
              int* status = nullptr);

// These read this process's own memory; `missing`: the launcher does not provide the value.
/// Reads the name of the node that runs `process`.
Lookup node_name(const opal_process_name_t& process, std::string& node, int& status);
/// Reads the names of the job's nodes, as "n0,n1".
Lookup job_nodes(std::string& names, int& status);
/// Reads the job's processes on `node` (a name from job_nodes(); empty: this process's node), as "0,1,7".
Lookup node_processes(const std::string& node, std::string& processes, int& status);

/// Returns why lookup() may answer differently on some processes when the first communicator is created;
/// nullptr if it cannot.
const char* obstacle_to_lookup();

/// Returns the name of the node that runs `process`; empty when unknown.
std::string node_of(const opal_process_name_t& process);
/// Returns a text with the nodes of these processes, the first few by name. `job`: any process of the job.
std::string node_names(opal_process_name_t job, const std::vector<std::uint32_t>& processes);
std::string own_node();
opal_process_name_t own_name();
/// Returns true if MPI_Comm_spawn started this job.
bool is_spawned();
/// Returns the number of processes of this job; their ids run from 0.
std::uint32_t own_job_size();

/// Returns this process's binding by the launcher as hwloc's list of OS indices; empty: not bound.
std::string own_cpuset();
/// Returns the rank of this process among the job's processes on its node, from 0.
int own_local_rank();
/// Returns the addresses that Open MPI knows: of interfaces that are up, IPv4 or global IPv6.
std::vector<InterfaceAddress> interface_addresses();
/// Returns Open MPI's topology of this node, which Open MPI owns; nullptr when it has none.
hwloc_topology_t node_topology();
/// Returns the same if Open MPI has loaded it already, else null.
hwloc_topology_t known_topology();
/// Returns true if node_topology() is nearly free because the launcher has it in shared memory.
bool launcher_shares_topology();
/// Returns the other coll components of this process, in name order.
std::vector<std::string> coll_components();
/// Returns true if messages between nodes use TCP interfaces (pml/ob1 without openib), false if they use
/// fabric devices. Equal on all processes with equal transport_choice(): Open MPI itself compares the PML.
bool uses_ip();
/// Returns the inputs of uses_ip() beside the selected PML.
std::string transport_choice();
/// Returns true if the user restricts libfabric or UCX, where one carries the messages, to IP.
bool fabric_is_ip();
/// Returns true if the user requested libfabric.
bool libfabric_is_asked_for();
/// Returns true if a cancelled receive completes. Over pml/cm that depends on the MTL: mtl/ofi completes it
/// later through an error that libfabric queues, and 4.1.4 crashes on it; mtl/psm2 and mtl/portals4 may
/// ignore the cancellation.
bool cancels_receives();
/// Returns true if the user selected btl/openib, which is no longer a default.
bool openib_is_used();
/// Returns true if no parameter of coll/han and not the priority of coll/tuned is set. Evaluated at the first
/// call.
bool han_is_default();
/// Returns an enabled module of a coll component for a communicator; the caller owns it. nullptr if the
/// component is absent or declines, then on all members, or if it `failed` on this one.
mca_coll_base_module_t* make_module(std::string_view component, ompi_communicator_t* comm, bool& failed);
/// Adds a reference: MPI_Finalize may release this communicator before its parent, and the parent frees it
/// again.
void retain_beyond_parent(ompi_communicator_t* comm);
/// Makes a communicator of some ranks of `parent`, without context id, collectives and attributes. Local.
/// Returns Open MPI's error code; the caller owns `made`.
int bare_communicator(ompi_communicator_t* parent, std::span<int> ranks, ompi_communicator_t** made);
/// Returns a number that is equal on all members of a communicator and differs from its siblings'.
std::uint64_t creation_number(const ompi_communicator_t* comm);
/// Returns a negative tag for creating communicators from `parent`, equal on all its members. Open MPI orders
/// creations with tags >= 0 by the parent's number and the tag, and runs one with a negative tag alone and
/// first. So each parent has its own tag: creations by several threads from several parents keep one order in
/// all processes, and do not wait for a creation that the program has only started (MPI_Comm_idup).
int creation_tag(const ompi_communicator_t* parent);
/// Returns the number by which MPI_Finalize releases remaining communicators, in ascending order.
std::uint32_t release_number(const ompi_communicator_t* comm);
/// Returns true if that number is equal on all members; false for communicators of sessions.
bool is_numbered_alike(const ompi_communicator_t* comm);
/// Returns false if the program cannot have given an info object for a communicator, alike on all its
/// members. Call while components are selected for it.
bool may_have_info(ompi_communicator_t* comm);
struct InfoEntry {
    std::string key;
    std::string value;
};
/// Returns the entries of a communicator's info object.
std::vector<InfoEntry> info_entries(ompi_communicator_t* comm);
/// Returns true during MPI_Init.
bool is_starting();
/// Allocates nothing.
bool has_info(ompi_communicator_t* comm, std::string_view key) noexcept;
/// Returns a text MCA variable of another component ("opal", "btl", "tcp", "if_include"); empty if absent.
std::string text_variable(const char* project, const char* framework, const char* component,
                          const char* name);
/// Returns true if programs may pass buffers in GPU memory, which only Open MPI can recognise.
bool supports_gpu_buffers();
/// Returns true if the job outlives a dead process (mpi_ft_enable, ULFM).
inline bool survives_failures() {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return ompi_ftmpi_enabled;
#else
    return false;
#endif
}
/// Completes a request with an error if its peer has died or the communicator is revoked; returns true if it
/// did. For wait loops outside Open MPI's own functions.
inline bool fail_if_peer_lost([[maybe_unused]] ompi_request_t* request) {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return ompi_request_is_failed(request);
#else
    return false;
#endif
}
/// Returns true for the errors of such requests.
inline bool is_failed_process([[maybe_unused]] int rc) {
#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI
    return rc == MPI_ERR_PROC_FAILED || rc == MPI_ERR_PROC_FAILED_PENDING || rc == MPI_ERR_REVOKED;
#else
    return false;
#endif
}
/// Returns a communicator's name for messages.
inline const char* name_of(const ompi_communicator_t* comm) {
    return comm->c_name[0] != '\0' ? comm->c_name : "a communicator";
}
/// Returns a code of this process's byte order and type sizes.
std::uint32_t architecture();

/// Returns an unsigned MCA variable of another component ("opal", "btl", "tcp", "eager_limit"), or
/// `otherwise`.
std::size_t size_variable(const char* project, const char* framework, const char* component, const char* name,
                          std::size_t otherwise);

}  // namespace strata::component::compat
