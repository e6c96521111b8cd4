#include "ranks.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "topology/text.h"

namespace strata::simulation {
namespace {

/// Shuffles by seed, with the same order on every platform.
void shuffle(std::vector<topology::LocalityRecord>& records, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t left = records.size(); left > 1; --left) {
        std::swap(records[left - 1], records[random() % left]);
    }
}

}  // namespace

Ranks::Ranks(const Machine& machine, const JobSpec& spec) {
    constexpr std::string_view shuffled = "shuffle:";
    tool::JobOptions options = machine.job;
    if (!spec.nodes.empty()) options.nodes = spec.nodes;
    if (!spec.hosts.empty()) options.hosts = spec.hosts;
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
    *this = Ranks(std::move(job.records), job.spec);
}

Ranks::Ranks(std::vector<topology::LocalityRecord> records, const topology::HierarchySpec& spec)
    : records_(std::move(records)),
      spec_(spec),
      flat_(topology::build_hierarchy(std::vector<topology::LocalityRecord>(records_.size()))) {}

Ranks Ranks::subset(const std::vector<int>& members) const {
    std::vector<topology::LocalityRecord> records;
    for (const int rank : members) records.push_back(records_[static_cast<std::size_t>(rank)]);
    return {std::move(records), spec_};
}

const topology::Hierarchy& Ranks::seen_as(const std::string& view) {
    const auto known = views_.find(view);
    if (known != views_.end()) return known->second;
    topology::HierarchySpec spec = spec_;
    if (view == "lowest") {
        spec.election.nic_local = false;
    } else if (!view.empty()) {
        std::string hint = view;
        std::replace(hint.begin(), hint.end(), '/', ',');
        spec.hint = topology::parse_hierarchy_hint(hint);
    }
    return views_.emplace(view, topology::build_hierarchy(records_, spec)).first->second;
}

}  // namespace strata::simulation
