#include "plugin_counters.h"

#include <string_view>

namespace strata::testing {

PluginCounters::PluginCounters(Session& session, MPI_Comm comm)
    : comm_(comm), prefix_(comm == MPI_COMM_NULL ? "coll_strata_" : "coll_strata_comm_") {
    // The thread level that MPI has: with a lower one, Open MPI assumes a single thread from then on.
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    MPI_T_init_thread(level, &level);
    MPI_T_pvar_session_create(&mpit_);
    int variables = 0;
    MPI_T_pvar_get_num(&variables);
    for (int i = 0; i < variables; ++i) {
        add(session, i);
    }
}
PluginCounters::~PluginCounters() {
    for (auto& [name, handle] : handles_) {
        MPI_T_pvar_handle_free(mpit_, &handle);
    }
    MPI_T_pvar_session_free(&mpit_);
    MPI_T_finalize();
}
std::map<std::string, std::uint64_t> PluginCounters::read(Session& session) const {
    std::map<std::string, std::uint64_t> values;
    for (const auto& [name, handle] : handles_) {
        unsigned long long value = 0;
        if (MPI_T_pvar_read(mpit_, handle, &value) != MPI_SUCCESS) {
            session.fail("cannot read performance variable %s", name.c_str());
        }
        values[name] = value;
    }
    return values;
}
std::uint64_t PluginCounters::read(Session& session, const std::string& name) const {
    unsigned long long value = 0;
    const auto handle = handles_.find(prefix_ + name);
    if (handle == handles_.end() || MPI_T_pvar_read(mpit_, handle->second, &value) != MPI_SUCCESS) {
        session.fail("cannot read performance variable %s%s", prefix_.c_str(), name.c_str());
    }
    return value;
}
std::uint64_t PluginCounters::sum(Session& session, const std::string& beginning) const {
    std::uint64_t all = 0;
    for (const auto& [name, handle] : handles_) {
        all += name.starts_with(prefix_ + beginning) ? read(session, name.substr(prefix_.size())) : 0;
    }
    return all;
}
std::uint64_t PluginCounters::served(Session& session) const {
    std::uint64_t all = 0;
    for (const auto& [name, value] : read(session)) {
        for (const std::string_view engine : {"_tree", "_levels", "_ring", "_rails", "_node"}) {
            // Not "bytes_node", which counts bytes of a level.
            const bool of_collective =
                name.ends_with(engine) &&
                handles_.contains(name.substr(0, name.size() - engine.size()) + "_forward");
            all += of_collective ? value : 0;
        }
    }
    return all;
}
std::vector<std::string> PluginCounters::endings(Session& session, const std::string& beginning) const {
    std::vector<std::string> found;
    for (const auto& [name, handle] : handles_) {
        if (name.starts_with(prefix_ + beginning)) {
            found.push_back(name.substr(prefix_.size() + beginning.size()));
        }
    }
    if (found.empty()) {
        session.fail("no performance variables %s%s...: the plugin is not loaded", prefix_.c_str(),
                     beginning.c_str());
    }
    return found;
}

void PluginCounters::add(Session& session, int index) {
    char name[256] = "";
    char description[1024] = "";
    int name_bytes = sizeof name;
    int description_bytes = sizeof description;
    int verbosity = 0;
    int variable_class = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    int bind = 0;
    int read_only = 0;
    int continuous = 0;
    int atomic = 0;
    if (MPI_T_pvar_get_info(index, name, &name_bytes, &verbosity, &variable_class, &type, &enumeration,
                            description, &description_bytes, &bind, &read_only, &continuous,
                            &atomic) != MPI_SUCCESS ||
        !std::string_view(name).starts_with("coll_strata_")) {
        return;
    }
    const bool bound = std::string_view(name).starts_with("coll_strata_comm_");
    if (type != MPI_UNSIGNED_LONG_LONG || bind != (bound ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT)) {
        session.fail("%s is no unsigned long long of a %s", name, bound ? "communicator" : "process");
        return;
    }
    if (bound != (comm_ != MPI_COMM_NULL)) {
        return;
    }
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_pvar_handle_alloc(mpit_, index, bound ? &comm_ : nullptr, &handle, &count) != MPI_SUCCESS ||
        count != 1) {
        session.fail("cannot open performance variable %s", name);
        return;
    }
    if (continuous == 0 && MPI_T_pvar_start(mpit_, handle) != MPI_SUCCESS) {
        session.fail("cannot start performance variable %s", name);
    }
    handles_[name] = handle;
}
}  // namespace strata::testing
