#include "ranks.h"

#include <random>
#include <string_view>
#include <utility>

#include "strata/topology/text.h"

namespace strata::simulation {
namespace {

/// The same order on every platform for one seed.
void shuffle(std::vector<topology::LocalityRecord>& records, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t left = records.size(); left > 1; --left) {
        std::swap(records[left - 1], records[random() % left]);
    }
}

}  // namespace

Ranks make_ranks(const Machine& machine, const JobSpec& spec) {
    constexpr std::string_view shuffled = "shuffle:";
    tool::Options options = machine.job;
    if (!spec.nodes.empty()) options.nodes = spec.nodes;
    if (!spec.ppn.empty()) options.ppn = spec.ppn;
    if (!spec.placement.empty()) options.placement = spec.placement;
    const bool shuffles = spec.order.starts_with(shuffled);
    if (!spec.order.empty() && !shuffles) options.order = spec.order;
    tool::Job job = tool::make_job(options);
    if (shuffles) {
        const auto seed = topology::whole_number<std::uint64_t>(spec.order.substr(shuffled.size()));
        if (!seed) throw tool::UsageError("order", "'" + spec.order + "' has no number; write shuffle:1");
        shuffle(job.records, *seed);
    }
    Ranks ranks;
    ranks.records = std::move(job.records);
    ranks.hierarchy = topology::build_hierarchy(ranks.records, job.spec);
    std::vector<topology::LocalityRecord> nowhere(ranks.records.size());
    ranks.flat = topology::build_hierarchy(nowhere);
    return ranks;
}

}  // namespace strata::simulation
