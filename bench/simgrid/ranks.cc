#include "ranks.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "topology/text.h"

namespace strata::simulation {
namespace {

/// Shuffles by seed, with the same order on every platform.
template <typename Item>
void shuffle(std::vector<Item>& items, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t left = items.size(); left > 1; --left)
        std::swap(items[left - 1], items[random() % left]);
}

/// As schedulers hand out nodes: in any order, each with ranks in a row.
void shuffle_nodes(std::vector<topology::LocalityRecord>& records, std::uint64_t seed) {
    std::vector<std::uint64_t> nodes;
    for (const topology::LocalityRecord& record : records)
        if (std::find(nodes.begin(), nodes.end(), record.node_id) == nodes.end())
            nodes.push_back(record.node_id);
    shuffle(nodes, seed);
    const auto place = [&](const topology::LocalityRecord& record) {
        return std::find(nodes.begin(), nodes.end(), record.node_id);
    };
    std::stable_sort(records.begin(), records.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

struct Shuffle {
    std::string_view word;
    void (*of)(std::vector<topology::LocalityRecord>&, std::uint64_t seed);
};
constexpr Shuffle shuffles[] = {{"shuffle:", shuffle<topology::LocalityRecord>}, {"nodes:", shuffle_nodes}};

}  // namespace

Ranks::Ranks(const Machine& machine, const JobSpec& spec) {
    tool::JobOptions options = machine.job;
    if (!spec.nodes.empty()) options.nodes = spec.nodes;
    if (!spec.hosts.empty()) options.hosts = spec.hosts;
    if (!spec.ppn.empty()) options.ppn = spec.ppn;
    if (!spec.placement.empty()) options.placement = spec.placement;
    const auto* const found = std::find_if(std::begin(shuffles), std::end(shuffles), [&](const Shuffle& one) {
        return spec.order.starts_with(one.word);
    });
    const bool is_shuffled = found != std::end(shuffles);
    if (!spec.order.empty() && !is_shuffled) options.order = spec.order;
    tool::Job job = tool::make_job(options);
    if (is_shuffled) {
        const auto seed = topology::whole_number<std::uint64_t>(spec.order.substr(found->word.size()));
        if (!seed)
            throw tool::UsageError(
                "order", "'" + spec.order + "' has no number; write " + std::string(found->word) + "1");
        found->of(job.records, *seed);
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
