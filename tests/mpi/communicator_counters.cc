// What the plugin did on each communicator, by performance variables of MPI_T that are bound to it: every
// communicator's own calls, messages and bytes, which together are those of the process.
//
//   communicator_counters
#include <map>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// The variables coll_strata_comm_... of one communicator.
class OfCommunicator {
public:
    OfCommunicator(Session& session, MPI_Comm comm) : comm_(comm) {
        int provided = 0;
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        MPI_T_pvar_session_create(&mpit_);
        int variables = 0;
        MPI_T_pvar_get_num(&variables);
        for (int i = 0; i < variables; ++i) {
            add(session, i);
        }
    }
    ~OfCommunicator() {
        for (auto& [name, handle] : handles_) {
            MPI_T_pvar_handle_free(mpit_, &handle);
        }
        MPI_T_pvar_session_free(&mpit_);
        MPI_T_finalize();
    }
    OfCommunicator(const OfCommunicator&) = delete;
    OfCommunicator& operator=(const OfCommunicator&) = delete;

    std::uint64_t read(Session& session, const std::string& name) const {
        unsigned long long value = 0;
        const auto found = handles_.find(prefix + name);
        if (found == handles_.end() || MPI_T_pvar_read(mpit_, found->second, &value) != MPI_SUCCESS) {
            session.fail("cannot read %s%s", prefix.c_str(), name.c_str());
        }
        return value;
    }
    /// Of all whose names begin so.
    std::uint64_t sum(Session& session, const std::string& beginning) const {
        std::uint64_t all = 0;
        for (const auto& [name, handle] : handles_) {
            all += name.starts_with(prefix + beginning) ? read(session, name.substr(prefix.size())) : 0;
        }
        return all;
    }

private:
    inline static const std::string prefix = "coll_strata_comm_";

    void add(Session& session, int index) {
        char name[256] = "";
        int name_bytes = sizeof name;
        int ignored = 0;
        int bind = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;
        MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
        int count = 0;
        if (MPI_T_pvar_get_info(index, name, &name_bytes, &ignored, &ignored, &type, &enumeration, nullptr,
                                nullptr, &bind, &ignored, &ignored, &ignored) != MPI_SUCCESS ||
            !std::string_view(name).starts_with(prefix)) {
            return;
        }
        session.expect(bind == MPI_T_BIND_MPI_COMM && type == MPI_UNSIGNED_LONG_LONG,
                       "a variable of another kind");
        if (MPI_T_pvar_handle_alloc(mpit_, index, &comm_, &handle, &count) != MPI_SUCCESS || count != 1) {
            session.fail("cannot open performance variable %s", name);
            return;
        }
        handles_[name] = handle;
    }

    MPI_Comm comm_;
    MPI_T_pvar_session mpit_ = MPI_T_PVAR_SESSION_NULL;
    std::map<std::string, MPI_T_pvar_handle> handles_;
};

constexpr int bytes = 4096;

void broadcast(MPI_Comm comm, int calls) {
    std::vector<char> data(bytes);
    for (int i = 0; i < calls; ++i) {
        MPI_Bcast(data.data(), bytes, MPI_CHAR, 0, comm);
    }
}

NamedCommunicator copy_of_world(const char* name) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return {name, comm};
}

void test(Session& session, int calls) {
    const PluginCounters process(session);
    const auto before = process.read(session);
    const NamedCommunicator first = copy_of_world("first");
    const NamedCommunicator second = copy_of_world("second");
    const OfCommunicator of_first(session, first.comm);
    const OfCommunicator of_second(session, second.comm);
    session.expect(of_first.read(session, "tree") == 0, "calls on a new communicator");
    broadcast(first.comm, calls);
    broadcast(second.comm, calls + 1);
    const auto wanted = static_cast<std::uint64_t>(calls);
    session.expect(of_first.read(session, "tree") == wanted, "other calls than those of the communicator");
    session.expect(of_second.read(session, "tree") == wanted + 1 + (session.sabotages("calls") ? 1 : 0),
                   "other calls than those of the second communicator");
    session.expect(of_first.read(session, "forward") == 0, "calls left to Open MPI");
    const std::uint64_t sent = session.total(of_first.sum(session, "bytes_"));
    session.expect(sent == wanted * bytes * static_cast<std::uint64_t>(session.size() - 1),
                   "a broadcast sends its bytes once to every rank but the root");
    std::uint64_t of_process = 0;
    for (const auto& [name, value] : process.read(session)) {
        of_process += name.starts_with("coll_strata_bytes_") ? value - before.at(name) : 0;
    }
    session.expect(of_process == of_first.sum(session, "bytes_") + of_second.sum(session, "bytes_"),
                   "the communicators' bytes are not those of the process");
    session.expect(of_first.read(session, "memory") > 1000, "a communicator that is served takes memory");
    session.expect(of_first.read(session, "setup_us") <= process.read(session, "setup_us"),
                   "one communicator took longer to set up than all");
    const OfCommunicator of_self(session, MPI_COMM_SELF);
    session.expect(of_self.sum(session, "") == 0, "something of a communicator that is not served");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto calls = static_cast<int>(session.number("--calls", 5));
    session.reject_other_arguments();
    test(session, calls);
    return session.finish();
}
