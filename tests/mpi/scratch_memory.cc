// Tests memory for calls: a process's amount follows overlapping calls, not the number of communicators,
// and shrinks when calls do not need it.
//
//   scratch_memory
#include <algorithm>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

constexpr int communicators = 40;
constexpr int large = 1 << 18;
constexpr int small_calls = 300;

class Test {
public:
    explicit Test(Session& session) : session_(session), counters_(session) {}

    void run() {
        std::vector<NamedCommunicator> all;
        for (int i = 0; i < communicators; ++i) all.push_back(copy_of_world("a copy of world"));
        const std::uint64_t before = held();
        for (int i = 0; i < 2; ++i)
            call(all.front().comm, large);  // the next call reuses the memory of this one
        const std::uint64_t first = held();
        session_.expect(session_.rank() != 0 || first >= before + large * sizeof(int),
                        "a call of 1 MiB took no memory");
        for (const NamedCommunicator& one : all) call(one.comm, large);
        session_.at("%d communicators hold %llu bytes, one %llu", communicators,
                    static_cast<unsigned long long>(held()), static_cast<unsigned long long>(first));
        const std::uint64_t allowed = session_.sabotage_is("held") ? before : 2 * first;
        session_.expect(held() <= std::max(allowed, before), "memory follows communicators");
        for (int i = 0; i < small_calls; ++i) call(all.front().comm, 1);
        session_.at("%llu bytes are held after short calls", static_cast<unsigned long long>(held()));
        session_.expect(held() <= large, "unused memory stays allocated");
    }

private:
    std::uint64_t held() const { return counters_.read(session_, "scratch_memory"); }
    void call(MPI_Comm comm, int count) {
        const std::vector<int> own(static_cast<std::size_t>(count), 1);
        std::vector<int> sum(static_cast<std::size_t>(count));
        MPI_Reduce(own.data(), sum.data(), count, MPI_INT, MPI_SUM, 0, comm);
        session_.expect(session_.rank() != 0 || sum.back() == session_.size(), "a wrong sum");
    }

    Session& session_;
    PluginCounters counters_;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    Test(session).run();
    return session.finish();
}
