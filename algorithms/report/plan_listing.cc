#include "algorithms/report/plan_listing.h"

#include <algorithm>
#include <iterator>

namespace strata::algorithms {
namespace {

constexpr std::size_t smallest_listed = 8;
constexpr std::size_t largest_listed = std::size_t{64} << 20;

bool same_choice(const Plan& a, const Plan& b) {
    if (a.engine != b.engine || a.engine_source != b.engine_source || a.reason != b.reason) return false;
    return a.engine == Engine::forward ||
           (a.levels == b.levels && a.sources == b.sources && a.skipped == b.skipped &&
            a.skipped_sources == b.skipped_sources && a.nic_local == b.nic_local && a.rails == b.rails);
}

bool same_choice(const ListedPlan& a, const ListedPlan& b) {
    if (a.delegation.has_value() != b.delegation.has_value()) return false;
    return same_choice(a.plan, b.plan) &&
           (!a.delegation || same_choice(a.delegation->plan, b.delegation->plan));
}

/// Returns the sizes to examine first.
std::vector<std::size_t> first_sizes(const std::vector<std::size_t>& bounds) {
    std::vector<std::size_t> sizes{largest_listed};
    for (std::size_t size = smallest_listed; size < largest_listed; size *= 8) sizes.push_back(size);
    for (const std::size_t bound : bounds) {
        if (bound <= smallest_listed || bound > largest_listed) continue;
        sizes.push_back(bound - 1);
        sizes.push_back(bound);
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Returns the power of two nearest to the middle strictly between two sizes, or 0.
std::size_t power_between(std::size_t low, std::size_t high) {
    std::vector<std::size_t> powers;
    for (std::size_t power = 1; power < high; power *= 2) {
        if (power > low) powers.push_back(power);
    }
    return powers.empty() ? 0 : powers[powers.size() / 2];
}

class Lister {
public:
    Lister(const PlanOf& plan_of, const Delegator& delegator, const ByComponents& by_components,
           const BoundOf& bound_of, Operation operation)
        : plan_of_(plan_of),
          delegator_(delegator),
          by_components_(by_components),
          bound_of_(bound_of),
          operation_(operation) {}

    ListedPlan at(std::size_t bytes) const {
        operation_.bytes = bytes;
        Plan plan = plan_of_(operation_);
        ListedPlan listed{operation_.collective, bytes, bytes, operation_.root, {}, 0, 0, {}, {}};
        if (delegator_) listed.delegation = delegator_(operation_, plan);
        if (by_components_) {
            if (const auto delegated = by_components_(operation_, plan))
                listed.delegated_us = listed.delegated_to_us = delegated->predicted_us;
        }
        if (bound_of_) listed.bound_us = listed.bound_to_us = bound_of_(operation_);
        listed.predicted_to_us = plan.predicted_us;
        listed.forward_to_us = plan.forward_us;
        listed.plan = std::move(plan);
        return listed;
    }

    std::vector<ListedPlan> ranges(const std::vector<std::size_t>& sizes) {
        add(at(sizes.front()));
        for (std::size_t i = 1; i < sizes.size(); ++i) add_between(at(sizes[i]));
        return std::move(all_);
    }

private:
    /// Adds the plans between the last one and `next`, then `next`.
    void add_between(ListedPlan next) {
        const std::size_t middle =
            same_choice(all_.back(), next) ? 0 : power_between(all_.back().to, next.from);
        if (middle != 0) {
            add_between(at(middle));
            add_between(std::move(next));
        } else {
            add(std::move(next));
        }
    }
    void add(ListedPlan next) {
        if (!all_.empty() && same_choice(all_.back(), next)) {
            all_.back().to = next.to;
            all_.back().predicted_to_us = next.predicted_to_us;
            all_.back().forward_to_us = next.forward_to_us;
            all_.back().delegated_to_us = next.delegated_to_us;
            all_.back().bound_to_us = next.bound_to_us;
        } else {
            all_.push_back(std::move(next));
        }
    }

    const PlanOf& plan_of_;
    const Delegator& delegator_;
    const ByComponents& by_components_;
    const BoundOf& bound_of_;
    mutable Operation operation_;
    std::vector<ListedPlan> all_;
};

/// Returns the level whose links the cost model uses: for custom groups the widest level around one.
topology::LevelKey key_of_links(const topology::Hierarchy& hierarchy, topology::LevelKey level) {
    topology::LevelKey widest{topology::LevelKind::custom, 0};
    for (const topology::Group& group : hierarchy.groups) {
        if (group.level == level && link_level(group).kind < widest.kind) widest = link_level(group);
    }
    return widest;
}

}  // namespace

std::vector<Collective> all_collectives() {
    std::vector<Collective> all;
    for (int op = 0; op < collective_count; ++op) all.push_back(static_cast<Collective>(op));
    return all;
}

std::vector<ListedPlan> list_plans(const topology::Hierarchy& hierarchy, const ListingSpec& spec,
                                   const PlanOf& plan_of,
                                   const std::function<std::vector<std::size_t>(Collective)>& bounds,
                                   const Delegator& delegator, const ByComponents& by_components,
                                   const BoundOf& bound_of) {
    std::vector<ListedPlan> all;
    for (const Collective collective : spec.collectives) {
        const CollectiveTraits traits = traits_of(collective);
        const int root = traits.rooted ? spec.root : hierarchy.groups.front().leader;
        Lister lister(plan_of, delegator, by_components, bound_of, {collective, 0, root});
        if (!traits.sized || !traits.has_data()) {
            all.push_back(lister.at(0));
        } else if (!spec.sizes.empty()) {
            for (const std::size_t bytes : spec.sizes) all.push_back(lister.at(bytes));
        } else {
            std::ranges::move(lister.ranges(first_sizes(bounds(collective))), std::back_inserter(all));
        }
    }
    return all;
}

std::vector<ListedLink> list_links(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                   const std::vector<LinkRule>& rules) {
    std::vector<ListedLink> all;
    for (const topology::LevelKey level : hierarchy.levels()) {
        const topology::LevelKey key = key_of_links(hierarchy, level);
        const auto source = [&](auto LinkSetting::*value) {
            for (const LinkRule& rule : rules) {
                if (rule.level.matches(key) && (rule.link.*value))
                    return Source{Origin::rules_file, rule.line};
            }
            return Source{};
        };
        all.push_back({level, links.at(key), source(&LinkSetting::latency_us),
                       source(&LinkSetting::overhead_us), source(&LinkSetting::bytes_per_us),
                       source(&LinkSetting::eager_bytes), source(&LinkSetting::parallel)});
    }
    return all;
}

std::string source_text(const Source& source, const std::string& parameter, const std::string& rules_file) {
    switch (source.origin) {
        case Origin::model: return {};
        case Origin::rules_file: return rules_file + ":" + std::to_string(source.line);
        case Origin::parameter: return std::string(parameter_prefix) + parameter;
        case Origin::info_key: return "info key " + std::string(info_key_prefix) + parameter;
    }
    return {};
}

std::string skipped_text(const Plan& plan) {
    std::string text;
    for (const topology::LevelKey level : plan.skipped) {
        text += (text.empty() ? "; skips " : ", ") + topology::name_of(level);
    }
    return text;
}

std::string sources_text(const Plan& plan, Collective collective, const std::string& rules_file,
                         const std::string& before) {
    const std::string op(name_of(collective));
    std::string text;
    const auto add = [&](const std::string& what, const Source& source, const char* suffix) {
        const std::string from = source_text(source, op + suffix, rules_file);
        if (!from.empty()) text += (text.empty() ? before : ", ") + what + " from " + from;
    };
    add("engine", plan.engine_source, "_algorithm");
    if (plan.engine == Engine::forward) return text;
    for (std::size_t l = 0; l < plan.sources.size(); ++l) {
        const std::string level = topology::name_of(plan.levels[l].level);
        add("algorithm of " + level, plan.sources[l].method, "_level_algorithms");
        add("segment of " + level, plan.sources[l].segment, "_segsize");
    }
    for (std::size_t s = 0; s < plan.skipped_sources.size(); ++s) {
        add("skip of " + topology::name_of(plan.skipped[s]), plan.skipped_sources[s], "_level_algorithms");
    }
    return text;
}

}  // namespace strata::algorithms
