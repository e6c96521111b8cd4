// Tests through MPI_T performance variables that the strata component served the calls with the requested
// engine. Fails on an Open MPI without the plugin: without this test all others could pass on coll/tuned.
//
//   selected --op NAME[,NAME...] --expect tree|levels|ring|rails|node|forward [--bytes N] [--calls N]
//            [--crossings node=3]
//
// --crossings KIND=N: over all ranks, each call moved exactly N times its bytes between groups of that
// level.
#include <cstdio>
#include <map>
#include <sstream>

#include "check.h"
#include "collective_cases.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

void call(Session& session, const Operators& operators, Collective op, int root, std::size_t bytes) {
    CollectiveCase what;
    what.collective = op;
    what.root = root;
    what.plain = true;
    what.kind = ItemKind::byte;
    what.op = operators.named("MPI_BXOR of MPI_BYTE");
    what.items = static_cast<int>(bytes);
    what.key = mix(session.seed(), root, bytes);
    run_case(session, MPI_COMM_WORLD, what, operators);
}

/// The values of one rank, and in `total` the sums over all ranks.
class Growth {
public:
    Growth(std::map<std::string, std::uint64_t> before, std::map<std::string, std::uint64_t> after)
        : before_(std::move(before)), after_(std::move(after)) {}
    bool known(const std::string& name) const { return after_.contains(name); }
    std::uint64_t of(const std::string& name) const {
        return known(name) ? after_.at(name) - before_.at(name) : 0;
    }
    std::uint64_t of_all(std::string_view prefix) const {
        std::uint64_t sum = 0;
        for (const auto& [name, value] : after_) {
            sum += name.starts_with(prefix) ? of(name) : 0;
        }
        return sum;
    }
    /// Collective: the ranks have the same variables, or the test has already failed.
    void print(Session& session) const {
        for (const auto& [name, value] : after_) {
            const std::uint64_t sum = session.total(of(name));
            if (session.rank() == 0) {
                std::printf("%-44s %12llu on rank 0 %12llu in all\n", name.c_str(),
                            static_cast<unsigned long long>(of(name)), static_cast<unsigned long long>(sum));
            }
        }
    }

private:
    std::map<std::string, std::uint64_t> before_;
    std::map<std::string, std::uint64_t> after_;
};

void expect_engine(Session& session, const Growth& growth, const std::string& op, const std::string& engine,
                   int calls) {
    for (const std::string other : {"tree", "levels", "ring", "rails", "node", "forward"}) {
        const std::string name = "coll_strata_" + op + "_" + other;
        if (!growth.known(name) && other != "tree" && other != "levels" && other != "forward" &&
            other != engine) {
            continue;  // not every collective has it
        }
        if (!growth.known(name)) {
            session.fail("no performance variable %s: the plugin is not loaded", name.c_str());
            continue;
        }
        const auto wanted = static_cast<std::uint64_t>(other == engine ? calls : 0);
        if (growth.of(name) != wanted) {
            session.fail("%s grew by %llu instead of %llu", name.c_str(),
                         static_cast<unsigned long long>(growth.of(name)),
                         static_cast<unsigned long long>(wanted));
        }
    }
}

void expect_bytes(Session& session, const std::string& name, std::uint64_t own, std::uint64_t wanted) {
    const std::uint64_t sum = session.total(own);
    if (sum != wanted) {
        session.fail("%s grew by %llu over all ranks instead of %llu", name.c_str(),
                     static_cast<unsigned long long>(sum), static_cast<unsigned long long>(wanted));
    }
}

// format: "node=3,package=2"
void expect_crossings(Session& session, const Growth& growth, const std::string& crossings,
                      std::uint64_t bytes) {
    std::istringstream in(crossings);
    for (std::string item; std::getline(in, item, ',');) {
        const std::size_t equals = item.find('=');
        const std::string name = "coll_strata_bytes_" + item.substr(0, equals);
        expect_bytes(session, name, growth.of(name), bytes * std::stoull(item.substr(equals + 1)));
    }
}

struct Wanted {
    std::string engine;
    std::string crossings;
    int calls = 0;
    std::size_t bytes = 0;  ///< bytes of each call
};

void check(Session& session, const PluginCounters& counters, const Operators& operators,
           Collective collective, const Wanted& wanted) {
    const std::string op = name_of(collective);
    // The plugin may pass through the first calls on a communicator until its members have agreed.
    for (int i = 0; i < 4; ++i) {
        session.at("%s: warm-up call %d", op.c_str(), i);
        call(session, operators, collective, i % session.size(), wanted.bytes);
    }
    const auto before = counters.read(session);
    for (int i = 0; i < wanted.calls; ++i) {
        session.at("%s: call %d", op.c_str(), i);
        call(session, operators, collective, i % session.size(), wanted.bytes);
    }
    session.at("%s: reading the performance variables", op.c_str());
    const Growth growth(before, counters.read(session));
    expect_engine(session, growth, op, wanted.engine, wanted.calls);
    if (session.least(session.failures() == 0 ? 1 : 0) == 0) {
        return;
    }
    growth.print(session);
    const std::uint64_t moved = wanted.bytes * static_cast<std::uint64_t>(wanted.calls);
    expect_crossings(session, growth, wanted.crossings, moved);
    // Every rank but the root receives the data once (or sends it), with any tree; passed-through calls and
    // boards do not count.
    const auto others = static_cast<std::uint64_t>(session.size() - 1);
    const bool once = collective == Collective::bcast || collective == Collective::reduce;
    const bool trees = wanted.engine == "tree" || wanted.engine == "rails";
    if (wanted.engine == "forward" || wanted.engine == "node" || (trees && once)) {
        expect_bytes(session, "coll_strata_bytes_", growth.of_all("coll_strata_bytes_"),
                     trees ? others * moved : 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string ops = session.option("--op", "bcast");
    Wanted wanted;
    wanted.engine = session.option("--expect", "tree");
    wanted.crossings = session.option("--crossings", "");
    wanted.calls = static_cast<int>(session.number("--calls", 12));
    wanted.bytes = static_cast<std::size_t>(session.number("--bytes", 200000));
    session.reject_other_arguments();
    {
        const PluginCounters counters(session);
        const Operators operators(session);
        for (const Collective collective : parse_collectives(ops)) {
            check(session, counters, operators, collective, wanted);
        }
    }
    return session.finish();
}
