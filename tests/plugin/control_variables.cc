// Tests every parameter of the plugin as an MPI_T control variable, on every rank: it is readable before
// MPI_Init, after it and after a collective, with the same value each time; its scope is read-only, and
// writing fails. Rank 0 prints "cvar NAME = VALUE", a line for each.
//
//   control_variables
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

using namespace strata::testing;

namespace {

constexpr int longest_value = 4096;

struct Variable {
    int index = -1;
    int scope = -1;
    bool is_text = false;  // bound to the process, not to an object
};

/// Variables that Open MPI itself creates for every component: coll_strata_major_version, _minor_ and
/// _release_.
bool of_open_mpi(std::string_view name) { return name.ends_with("_version"); }

std::map<std::string, Variable> variables() {
    std::map<std::string, Variable> found;
    int count = 0;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; ++i) {
        char name[256] = "";
        int name_bytes = sizeof name;
        int help_bytes = 0;
        int verbosity = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum values = MPI_T_ENUM_NULL;
        int bind = 0;
        int scope = 0;
        if (MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &type, &values, nullptr, &help_bytes, &bind,
                                &scope) == MPI_SUCCESS &&
            std::string_view(name).starts_with("coll_strata_") && !of_open_mpi(name)) {
            found[name] = {i, scope, type == MPI_CHAR && bind == MPI_T_BIND_NO_OBJECT};
        }
    }
    return found;
}

/// A variable that is open.
class Handle {
public:
    explicit Handle(const Variable& variable) {
        open_ = MPI_T_cvar_handle_alloc(variable.index, nullptr, &handle_, &count_) == MPI_SUCCESS;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (open_) {
            MPI_T_cvar_handle_free(&handle_);
        }
    }
    std::string read() const {
        std::vector<char> value(longest_value, '\0');
        const bool fits = open_ && count_ <= longest_value;
        return fits && MPI_T_cvar_read(handle_, value.data()) == MPI_SUCCESS ? value.data()
                                                                             : "cannot be read";
    }
    int write(const char* value) const { return MPI_T_cvar_write(handle_, value); }

private:
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
    int count_ = 0;
    bool open_ = false;
};

using Values = std::map<std::string, std::string>;

Values read_all() {
    Values values;
    for (const auto& [name, variable] : variables()) {
        values[name] = Handle(variable).read();
    }
    return values;
}

void expect_refusal(Session& session, const std::string& name, const Variable& variable) {
    session.at("writing %s", name.c_str());
    session.expect(variable.is_text, "it is not a text variable of the process");
    session.expect(variable.scope == MPI_T_SCOPE_READONLY || variable.scope == MPI_T_SCOPE_CONSTANT,
                   "its scope allows writing");
    const Handle handle(variable);
    const std::string before = handle.read();
    const int code = session.sabotages("write") ? MPI_SUCCESS : handle.write("7");
    session.expect(code == MPI_T_ERR_CVAR_SET_NEVER || code == MPI_T_ERR_CVAR_SET_NOT_NOW,
                   "it can be written");
    session.expect(handle.read() == before, "its value has changed");
}

void print(const Values& values) {
    std::string text;
    for (const auto& [name, value] : values) {
        text += "cvar " + name + " = " + value + "\n";
    }
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    const Values before = read_all();
    Session session(argc, argv);
    session.reject_other_arguments();
    const Values at_start = read_all();
    session.expect(!at_start.empty(), "no control variables: the plugin is not loaded");
    session.expect(before == at_start, "MPI_Init has changed a value");
    for (const auto& [name, variable] : variables()) {
        expect_refusal(session, name, variable);
    }
    checked_bcast(session, MPI_COMM_WORLD, 0, 70000, session.seed());
    session.at("reading again");
    session.expect(read_all() == at_start, "a collective has changed a value");
    if (session.rank() == 0) {
        print(at_start);
    }
    return session.finish();  // without MPI_T_finalize: after MPI_Finalize it crashes in coll/libnbc (4.1.4)
}
