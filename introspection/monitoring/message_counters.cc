#include "message_counters.h"

#include <algorithm>
#include <string_view>

#include "withdrawn_counters.h"

namespace strata::introspection {

namespace {

/// Names in the order of TrafficRows.
constexpr std::array<std::string_view, 2 * traffic_count> names = {
    "pml_monitoring_messages_count",      "pml_monitoring_messages_size",
    "coll_monitoring_messages_count",     "coll_monitoring_messages_size",
    "osc_monitoring_messages_sent_count", "osc_monitoring_messages_sent_size",
    "osc_monitoring_messages_recv_count", "osc_monitoring_messages_recv_size"};

constexpr int name_bytes = 256;

}  // namespace

bool MessageCounters::open() {
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    processes_ = static_cast<std::size_t>(processes);
    values_.resize(processes_);
    bound_.fill(false);
    // Request MPI's own level: Open MPI raises the level of all of MPI to the one requested here.
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    thread_level_ = level;  // stays so if MPI_T was initialised before
    initialised_ = MPI_T_init_thread(level, &thread_level_) == MPI_SUCCESS;
    if (!initialised_) {
        return false;
    }
    if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS || !bind_all()) {
        return false;
    }
    if (has(Traffic::collectives) && !has(Traffic::messages) && restore_withdrawn_counters() && !bind_all()) {
        return false;
    }
    find_mode();
    return true;
}

bool MessageCounters::bind_all() {
    int variables = 0;
    if (MPI_T_pvar_get_num(&variables) != MPI_SUCCESS) {
        return false;
    }
    for (int i = 0; i < variables; ++i) {
        bind(i);
    }
    return true;
}

void MessageCounters::bind(int index) {
    char name[name_bytes] = "";
    int length = name_bytes;
    int no_text = 0;
    int ignored[5] = {};
    int object = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    if (MPI_T_pvar_get_info(index, name, &length, &ignored[0], &ignored[1], &type, &enumeration, nullptr,
                            &no_text, &object, &ignored[2], &ignored[3], &ignored[4]) != MPI_SUCCESS) {
        return;  // withdrawn
    }
    const auto found = std::find(names.begin(), names.end(), std::string_view(name));
    if (found == names.end() || object != MPI_T_BIND_MPI_COMM || type != MPI_UNSIGNED_LONG_LONG) {
        return;
    }
    const auto which = static_cast<std::size_t>(found - names.begin());
    if (bound_[which]) {
        return;
    }
    MPI_Comm world = MPI_COMM_WORLD;  // messages exist for it only; all counters use its order
    int count = 0;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    if (MPI_T_pvar_handle_alloc(session_, index, &world, &handle, &count) != MPI_SUCCESS) {
        return;
    }
    // A started handle is never stopped: that would end all counting in this process, also for other
    // tools.
    if (static_cast<std::size_t>(count) == processes_ && MPI_T_pvar_start(session_, handle) == MPI_SUCCESS) {
        handles_[which] = handle;
        bound_[which] = true;
    } else {
        MPI_T_pvar_handle_free(session_, &handle);
    }
}

void MessageCounters::find_mode() {
    mode_ = 1;
    int variables = 0;
    MPI_T_cvar_get_num(&variables);
    for (int i = 0; i < variables; ++i) {
        char name[name_bytes] = "";
        int length = name_bytes;
        int no_text = 0;
        int ignored[3] = {};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;
        if (MPI_T_cvar_get_info(i, name, &length, &ignored[0], &type, &enumeration, nullptr, &no_text,
                                &ignored[1], &ignored[2]) != MPI_SUCCESS ||
            std::string_view(name) != "pml_monitoring_enable" || type != MPI_INT) {
            continue;
        }
        MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
        int count = 0;
        int value = 0;
        if (MPI_T_cvar_handle_alloc(i, nullptr, &handle, &count) == MPI_SUCCESS) {
            if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value != 0) {
                mode_ = value;
            }
            MPI_T_cvar_handle_free(&handle);
        }
    }
}

void MessageCounters::close() {
    if (!initialised_) {
        return;
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) {
        if (bound_[i]) {
            MPI_T_pvar_handle_free(session_, &handles_[i]);
            bound_[i] = false;
        }
    }
    if (session_ != MPI_T_PVAR_SESSION_NULL) {
        MPI_T_pvar_session_free(&session_);
    }
    MPI_T_finalize();
    initialised_ = false;
}

bool MessageCounters::has(Traffic kind) const {
    const std::size_t first = 2 * static_cast<std::size_t>(kind);
    return bound_[first] && bound_[first + 1];
}

bool MessageCounters::read(TrafficRows& rows) {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
        unsigned long* row = rows.words().data() + i * processes_;
        if (!bound_[i]) {
            std::fill(row, row + processes_, 0UL);
        } else if (MPI_T_pvar_read(session_, handles_[i], values_.data()) == MPI_SUCCESS) {
            std::copy(values_.begin(), values_.end(), row);
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace strata::introspection
