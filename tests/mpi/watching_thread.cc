// Tests a tool's thread that reads the variables of a communicator, including its memory, while the
// program's thread makes plans and calls: counters never decrease, and no data is corrupted.
//
//   watching_thread [--iterations N]
#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

constexpr std::size_t longest = 300000;

/// Reads until `stop`.
class Watcher {
public:
    Watcher(Session& session, const PluginCounters& counters)
        : session_(session), counters_(counters), thread_([this] { watch(); }) {}
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher() {
        done_ = true;
        if (thread_.joinable()) thread_.join();
    }
    void stop() {
        done_ = true;
        thread_.join();
        session_.expect(reads_ > 0, "the tool read nothing meanwhile");
        session_.expect(last_["coll_strata_comm_memory"] > 0, "the communicator takes no memory");
    }
    bool has_read() const { return reads_ > 0; }

private:
    void watch() {
        while (!done_) {
            for (const auto& [name, value] : counters_.read(session_)) {
                std::uint64_t& before = last_[name];
                if (session_.sabotages("counted")) before = value + 1;
                if (value < before && name != "coll_strata_comm_memory") {
                    session_.fail("%s became less: %llu after %llu", name.c_str(),
                                  static_cast<unsigned long long>(value),
                                  static_cast<unsigned long long>(before));
                }
                before = value;
            }
            // The variables that change most during calls.
            for (int i = 0; i < 1000; ++i)
                last_["coll_strata_comm_memory"] = counters_.read(session_, "memory");
            ++reads_;
        }
    }

    Session& session_;
    const PluginCounters& counters_;
    std::map<std::string, std::uint64_t> last_;
    std::atomic<bool> done_{false};
    std::atomic<int> reads_{0};
    std::thread thread_;
};

/// Calls of all kinds and sizes; continues until the tool has read something.
void call(Session& session, MPI_Comm comm, int iterations, const Watcher& watcher) {
    const Operators operators(session);
    Random common(session.seed());
    for (int i = 0; i < iterations || session.least(watcher.has_read() ? 1 : 0) == 0; ++i) {
        const CollectiveCase what =
            random_case(common, session.size(), operators, {all_collectives(), longest});
        session.at("call %d, %s", i, describe(what, operators).c_str());
        run_case(session, comm, what, operators);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, MPI_THREAD_MULTIPLE);
    const int iterations = static_cast<int>(session.number("--iterations", 200));
    session.reject_other_arguments();
    {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const NamedCommunicator copy("copy", comm);
        const PluginCounters counters(session, copy.comm);
        Watcher watcher(session, counters);
        call(session, copy.comm, iterations, watcher);
        watcher.stop();
    }
    return session.finish();
}
