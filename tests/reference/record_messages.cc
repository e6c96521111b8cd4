// Prints digests of the messages of all ranks for many plans, over the in-process transport. The plugin and
// the simulator send the same (tests traces.*, simulation.Traces).
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "algorithms/base/collective.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "machines.h"
#include "topology/fact_hash.h"
#include "traced_call.h"

namespace {

using namespace strata;

constexpr std::uint64_t shapes = 15;
constexpr int most_ranks = 16;  // each is a thread

/// Adds what all ranks of a call send, in order. Throws std::runtime_error where the call goes wrong.
std::size_t add_messages(topology::FactHash& hash, const testing::TracedCall& call, std::uint64_t seed) {
    std::string problem;
    const testing::Streams streams = in_process_streams(call, seed, problem);
    if (!problem.empty()) throw std::runtime_error(problem);
    std::size_t messages = 0;
    for (const auto& [way, sizes] : streams) {
        const auto& [from, to, rail] = way;
        hash.add(from).add(to).add(rail).add(sizes.size());
        for (const std::size_t size : sizes) hash.add(size);
        messages += sizes.size();
    }
    return messages;
}

void print(const std::string& name, std::size_t messages, const topology::FactHash& hash) {
    std::printf("%s: %zu messages, digest %016llx\n", name.c_str(), messages,
                static_cast<unsigned long long>(hash.value()));
}

/// Random plans on a random hierarchy, one per collective.
void record_shape(std::uint64_t shape) {
    topology::FactHash hash;
    std::size_t messages = 0;
    for (const algorithms::Collective collective : testing::traced_collectives)
        messages += add_messages(hash, testing::random_traced_call(shape, collective), shape);
    print("random " + std::to_string(shape), messages, hash);
}

/// What an engine does on a machine when the model chooses the rest.
void record_machine(const reference::NamedMachine& machine, algorithms::Engine engine) {
    topology::FactHash hash;
    std::size_t messages = 0;
    for (const algorithms::Collective collective : testing::traced_collectives) {
        algorithms::Overrides overrides;
        overrides.engine = engine;
        if (!check(overrides, collective).empty()) continue;
        for (const std::size_t bytes : {8, 9'000, 100'000}) {
            const bool blocks = traits_of(collective).blocks;
            const int root = traits_of(collective).rooted ? machine.hierarchy.ranks() / 2 : 0;
            testing::TracedCall call{machine.hierarchy, {}, {collective, bytes, root}, bytes};
            if (blocks) call.operation.bytes *= machine.hierarchy.stop.size();
            call.plan = make_plan(machine.hierarchy, {}, overrides, call.operation);
            messages += add_messages(hash, call, 1);
        }
    }
    print(machine.name + ' ' + std::string(name_of(engine)), messages, hash);
}

}  // namespace

int main() try {
    for (std::uint64_t shape = 0; shape < shapes; ++shape) record_shape(shape);
    for (const reference::NamedMachine& machine : reference::machines()) {
        if (machine.hierarchy.ranks() > most_ranks) continue;
        for (const auto engine : {algorithms::Engine::tree, algorithms::Engine::ring})
            record_machine(machine, engine);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "record_messages: %s\n", error.what());
    return 1;
}
