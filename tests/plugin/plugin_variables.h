#pragma once
#include <mpi.h>

#include <map>
#include <string>
#include <string_view>

namespace strata::testing {

using Values = std::map<std::string, unsigned long long>;

/// Reads every coll_strata_* variable of this process, counted from construction on.
class Variables {
public:
    /// `bound`: includes those of MPI_COMM_WORLD.
    explicit Variables(bool bound) : bound_(bound) {
        int provided = 0;
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        broken_ = MPI_T_pvar_session_create(&session_) != MPI_SUCCESS;
        int variables = 0;
        MPI_T_pvar_get_num(&variables);
        for (int i = 0; i < variables; ++i) {
            open(i);
        }
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;
    ~Variables() {
        for (auto& [name, handle] : handles_) {
            MPI_T_pvar_handle_free(session_, &handle);
        }
        MPI_T_pvar_session_free(&session_);
        int over = 0;
        MPI_Finalized(&over);
        if (over == 0) {
            MPI_T_finalize();  // a later end crashes in coll/libnbc (4.1.4), with or without the plugin
        }
    }

    Values read() {
        Values values;
        for (const auto& [name, handle] : handles_) {
            unsigned long long value = 0;
            broken_ = MPI_T_pvar_read(session_, handle, &value) != MPI_SUCCESS || broken_;
            values[name] = value;
        }
        return values;
    }
    bool broken() const { return broken_; }

private:
    void open(int index) {
        char name[256] = "";
        int name_bytes = sizeof name;
        int help_bytes = 0;
        int ignored[5] = {};
        int bind = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;
        if (MPI_T_pvar_get_info(index, name, &name_bytes, &ignored[0], &ignored[1], &type, &enumeration,
                                nullptr, &help_bytes, &bind, &ignored[2], &ignored[3],
                                &ignored[4]) != MPI_SUCCESS ||
            !std::string_view(name).starts_with("coll_strata_") ||
            (bind != MPI_T_BIND_NO_OBJECT && !bound_)) {
            return;
        }
        MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
        MPI_Comm world = MPI_COMM_WORLD;
        int count = 0;
        if (MPI_T_pvar_handle_alloc(session_, index, bind == MPI_T_BIND_NO_OBJECT ? nullptr : &world, &handle,
                                    &count) == MPI_SUCCESS &&
            count == 1) {
            handles_[name] = handle;
        } else {
            broken_ = true;
        }
    }

    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    std::map<std::string, MPI_T_pvar_handle> handles_;
    bool bound_;
    bool broken_ = false;
};

}  // namespace strata::testing
