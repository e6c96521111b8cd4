#include "component/openmpi/ompi_compat.h"

#include <netinet/in.h>
#include <algorithm>
#include <cstdlib>
#include <limits>

namespace strata::component::compat {

static std::string text_of(const char* text) { return text != nullptr ? text : ""; }

std::string node_of(const opal_process_name_t& process) {
    std::string node;
    int status = 0;
    return node_name(process, node, status) == Lookup::found ? node : "";
}

std::string own_node() { return text_of(ompi_process_info.nodename); }

opal_process_name_t own_name() { return ompi_process_info.my_name; }

bool is_spawned() { return std::getenv("OMPI_PARENT_PORT") != nullptr; }  // like ompi_dpm_dyn_init()

std::uint32_t own_job_size() { return ompi_process_info.num_procs; }

std::string own_cpuset() { return text_of(ompi_process_info.cpuset); }

int own_local_rank() {
    const int rank = ompi_process_info.my_local_rank;
    return rank == UINT16_MAX ? 0 : rank;
}

static std::string node_name_of(const opal_process_name_t& process) {
    const std::string node = node_of(process);
    return node.empty() ? "of process " + std::to_string(process.vpid) : node;
}

std::string node_names(opal_process_name_t process, const std::vector<std::uint32_t>& ids) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names;
    for (const std::uint32_t id : ids) {
        process.vpid = id;
        std::string name = node_name_of(process);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    std::string list;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
        list += (i > 0 ? ", " : "") + names[i];
    }
    return names.size() > most ? list + " and " + std::to_string(names.size() - most) + " more" : list;
}

std::vector<InterfaceAddress> interface_addresses() {
    std::vector<InterfaceAddress> addresses;
    for (int index = opal_ifbegin(); index >= 0; index = opal_ifnext(index)) {
        char name[256] = "";
        sockaddr_storage address{};
        if (opal_ifindextoname(index, name, sizeof name) != OPAL_SUCCESS ||
            opal_ifindextoaddr(index, reinterpret_cast<sockaddr*>(&address), sizeof address) !=
                OPAL_SUCCESS) {
            continue;
        }
        const auto add = [&](const void* first, std::size_t size) {
            const auto* bytes = static_cast<const unsigned char*>(first);
            addresses.push_back({name, opal_ifisloopback(index), {bytes, bytes + size}});
        };
        if (address.ss_family == AF_INET) {
            add(&reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, 4);
        } else if (address.ss_family == AF_INET6) {
            add(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr, 16);
        }
    }
    return addresses;
}

hwloc_topology_t node_topology() {
    return opal_hwloc_base_get_topology() == OPAL_SUCCESS ? opal_hwloc_topology : nullptr;
}

hwloc_topology_t known_topology() { return opal_hwloc_topology; }

void retain_beyond_parent(ompi_communicator_t* comm) {
#if OMPI_MAJOR_VERSION <= 5
    OMPI_COMM_SET_EXTRA_RETAIN(comm);
#endif
    OBJ_RETAIN(comm);
}

namespace {

/// Spreads a number of 25 bits over a tag. Point-to-point layers keep 32, 24 (UCX, portals4) or 20 bits of a
/// tag (libfabric's MTL). The highest bit of each width is set, so that the tag stays negative and
/// MPI_ANY_TAG does not match it. The next bit (in 32 bits, the next two) is clear: this keeps the tag away
/// from those of non-blocking collectives, which count downwards from -28 to half of INT_MAX.
constexpr int tag_of_number(std::uint32_t number) {
    constexpr std::uint32_t signs = 1U << 31 | 1U << 23 | 1U << 19;
    const std::uint32_t low = number & 0x3FFFFU;
    const std::uint32_t middle = number >> 18 & 0x3U;
    const std::uint32_t high = number >> 20 & 0x1FU;
    return static_cast<int>(signs | high << 24 | middle << 20 | low);
}

}  // namespace

int creation_tag(const ompi_communicator_t* parent) {
    constexpr int bits = 25;
    constexpr std::uint32_t half = 1U << (bits - 1);
    static_assert(tag_of_number(2 * half - 1) < std::numeric_limits<int>::min() / 2);
    if (is_numbered_alike(parent)) {
        return tag_of_number(release_number(parent) % half);
    }
    // A hash: two parents with the same tag would only lose their common order, and are unlikely.
    return tag_of_number(
        half + static_cast<std::uint32_t>(creation_number(parent) * 0x9E3779B97F4A7C15U >> (64 - bits + 1)));
}

bool may_have_info(ompi_communicator_t* comm) {
    // Release 4.1 names most communicators before it selects components. "MPI COMMUNICATOR 3 DUP FROM 0" may
    // come from MPI_Comm_dup_with_info; the calls behind the names below take no info object.
    const std::string_view name = comm->c_name;
    const bool named_without_info = name.find(" SPLIT FROM ") != name.npos ||
                                    name.find(" CREATE FROM ") != name.npos ||
                                    name.find(" GROUP FROM ") != name.npos;
    return comm != &ompi_mpi_comm_world.comm && comm != &ompi_mpi_comm_self.comm && !named_without_info;
}

bool is_starting() {
    return ompi_mpi_state >= OMPI_MPI_STATE_INIT_STARTED && ompi_mpi_state < OMPI_MPI_STATE_INIT_COMPLETED;
}

std::uint32_t architecture() { return opal_local_arch; }

std::vector<std::string> coll_components() {
    std::vector<std::string> names;
    mca_base_component_list_item_t* item = nullptr;
    OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components, mca_base_component_list_item_t) {
        if (std::string_view(item->cli_component->mca_component_name) != "strata") {
            names.emplace_back(item->cli_component->mca_component_name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

bool is_monitored() { return size_variable("ompi", "pml", "monitoring", "enable", 0) != 0; }

/// Returns the selected point-to-point layer; under monitoring, the user's own choice, if any.
std::string point_to_point_layer() {
    const std::string name = mca_pml_base_selected_component.pmlm_version.mca_component_name;
    return name == "monitoring" ? text_variable("ompi", "pml", nullptr, nullptr) : name;
}

}  // namespace

std::string transport_choice() {
    std::string choice = openib_is_used() ? "openib" : "";
    if (is_monitored()) {
        choice += " monitored " + text_variable("ompi", "pml", nullptr, nullptr);
    }
    return choice;
}

bool uses_ip() {
    const std::string pml = point_to_point_layer();
    return pml != "ucx" && pml != "cm" && pml != "yalla" && !openib_is_used();
}

bool cancels_receives() {
    const std::string pml = point_to_point_layer();
    return pml == "ob1" || pml == "ucx";
}

static std::string environment(const char* name) { return text_of(std::getenv(name)); }

bool libfabric_is_asked_for() {
    return text_variable("ompi", "pml", nullptr, nullptr) == "cm" ||
           text_variable("ompi", "mtl", nullptr, nullptr) == "ofi";
}

bool fabric_is_ip() {
    if (!libfabric_is_asked_for()) {
        return names_only_ip(environment("UCX_TLS"));
    }
    const std::string providers = text_variable("opal", "opal_common", "ofi", "provider_include");
    return names_only_ip(providers.empty() ? environment("FI_PROVIDER") : providers);
}

bool openib_is_used() {
    const std::string btl = text_variable("opal", "btl", nullptr, nullptr);
    return !btl.starts_with("^") && btl.find("openib") != std::string::npos;
}

namespace {

/// Returns nullptr if the variable does not exist.
const mca_base_var_t* variable_of(const char* project, const char* framework, const char* component,
                                  const char* name) {
    const int index = mca_base_var_find(project, framework, component, name);
    const mca_base_var_t* variable = nullptr;
    return index >= 0 && mca_base_var_get(index, &variable) == OPAL_SUCCESS ? variable : nullptr;
}

/// Returns a pointer to the variable's value, stored as `type`; nullptr if there is none.
const void* value_of(const char* project, const char* framework, const char* component, const char* name,
                     mca_base_var_type_t& type) {
    const mca_base_var_t* variable = variable_of(project, framework, component, name);
    const void* value = nullptr;
    if (variable == nullptr ||
        mca_base_var_get_value(variable->mbv_index, &value, nullptr, nullptr) != OPAL_SUCCESS) {
        return nullptr;
    }
    type = variable->mbv_type;
    return value;
}

}  // namespace

static bool han_has_defaults() {
    const auto is_set = [](const mca_base_var_t* variable) {
        return variable->mbv_source != MCA_BASE_VAR_SOURCE_DEFAULT;
    };
    const mca_base_var_t* priority = variable_of("ompi", "coll", "tuned", "priority");
    if (priority == nullptr || is_set(priority) ||
        variable_of("ompi", "coll", "han", "priority") == nullptr) {
        return false;
    }
    for (int index = 0; index < mca_base_var_get_count(); ++index) {
        const mca_base_var_t* variable = nullptr;
        if (mca_base_var_get(index, &variable) == OPAL_SUCCESS && is_set(variable) &&
            std::string_view(variable->mbv_full_name).starts_with("coll_han_")) {
            return false;
        }
    }
    return true;
}

bool han_is_default() {
    static const bool as_it_comes = han_has_defaults();
    return as_it_comes;
}

mca_coll_base_module_t* make_module(std::string_view component, ompi_communicator_t* comm, bool& failed) {
    failed = false;
    mca_base_component_list_item_t* item = nullptr;
    OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components, mca_base_component_list_item_t) {
        if (component != item->cli_component->mca_component_name) {
            continue;
        }
        const auto* coll = reinterpret_cast<const mca_coll_base_component_t*>(item->cli_component);
        constexpr int unsaid = -1;
        int priority = unsaid;
        mca_coll_base_module_t* module = coll->collm_comm_query(comm, &priority);
        if (module != nullptr && priority >= 0 && module->coll_module_enable(module, comm) == OMPI_SUCCESS) {
            return module;
        }
        // A component that declines sets a negative priority, on all ranks.
        failed = module == nullptr ? priority == unsaid : priority >= 0;
        if (module != nullptr) {
            OBJ_RELEASE(module);
        }
    }
    return nullptr;
}

std::string text_variable(const char* project, const char* framework, const char* component,
                          const char* name) {
    mca_base_var_type_t type{};
    const void* value = value_of(project, framework, component, name, type);
    if (value == nullptr || type != MCA_BASE_VAR_TYPE_STRING) {
        return {};
    }
    const char* text = *static_cast<const char* const*>(value);
    return text != nullptr ? text : "";
}

std::size_t size_variable(const char* project, const char* framework, const char* component, const char* name,
                          std::size_t otherwise) {
    mca_base_var_type_t type{};
    const void* value = value_of(project, framework, component, name, type);
    if (value == nullptr) {
        return otherwise;
    }
    switch (type) {
        case MCA_BASE_VAR_TYPE_SIZE_T: return *static_cast<const size_t*>(value);
        case MCA_BASE_VAR_TYPE_UNSIGNED_INT: return *static_cast<const unsigned int*>(value);
        case MCA_BASE_VAR_TYPE_UNSIGNED_LONG: return *static_cast<const unsigned long*>(value);
        case MCA_BASE_VAR_TYPE_INT: return static_cast<std::size_t>(*static_cast<const int*>(value));
        default: return otherwise;
    }
}

}  // namespace strata::component::compat
