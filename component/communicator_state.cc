#include "communicator_state.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "agreement.h"
#include "dump.h"
#include "election.h"
#include "messages.h"
#include "reports.h"

namespace strata::component {
namespace {

constexpr std::size_t most_level_sets = 16;  // each holds one communicator per level
constexpr std::size_t most_edges = 64;       // roots per plan
constexpr std::size_t scratch_to_keep = std::size_t{4} << 20;

/// Four classes per power of two; a class is planned for its smallest size, so that powers of two are met
/// exactly.
struct SizeClass {
    unsigned index;
    std::size_t smallest;
};

SizeClass size_class(std::size_t bytes) {
    if (bytes < 8) {
        return {static_cast<unsigned>(bytes), bytes};
    }
    const unsigned exponent = static_cast<unsigned>(std::bit_width(bytes)) - 1;
    const std::size_t quarter = (bytes >> (exponent - 2)) & 3;
    return {exponent * 4 + static_cast<unsigned>(quarter), (4 + quarter) << (exponent - 2)};
}

/// The same wishes as far as the tree engine can fulfil them.
algorithms::Overrides without_delegation(algorithms::Overrides overrides) {
    overrides.engine = algorithms::Engine::tree;
    std::erase_if(overrides.methods, [](const algorithms::LevelMethodRule& rule) {
        return rule.method.algorithm != algorithms::Algorithm::automatic &&
               !algorithms::info(rule.method.algorithm).tree_shape;
    });
    return overrides;
}

class SetupTimer {
public:
    ~SetupTimer() {
        const auto spent = std::chrono::steady_clock::now() - start_;
        counters().setup_us.add(
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

CommunicatorState::CommunicatorState(ompi_communicator_t* comm, const Settings& settings)
    : comm_(comm),
      settings_(settings),
      bcast_overrides_(settings.of(Collective::bcast)),
      transport_(comm, MCA_COLL_BASE_TAG_BCAST) {}

/// From now on every call goes to the previous component.
void CommunicatorState::forward_all(ForwardReason reason) {
    reason_ = reason;
    phase_ = Phase::forwarding;
    if (settings_.verbose >= 1 && ompi_comm_rank(comm_) == 0) {
        opal_output(0, "coll:strata: %s: everything is left to the previous component: %s", comm_->c_name,
                    explanation(reason));
    }
}

void CommunicatorState::set_up() {
    const SetupTimer timer;
    const Agreement agreement = agree(comm_);
    if (!agreement.agreed) {
        forward_all(agreement.reason);
        return;
    }
    // Equal on all: the one is part of the agreement, the other Open MPI itself insists on.
    if (compat::several_threads() && !compat::threads_are_safe()) {
        forward_all(ForwardReason::threads);
        return;
    }
    hierarchy_ =
        topology::build_hierarchy(agreement.records, {settings_.hierarchy, election_of(comm_, settings_)});
    agreed_ = true;
    report_cards(comm_, settings_, agreement.records);
    report_network(comm_, agreement.records);
    root_class_.resize(static_cast<std::size_t>(hierarchy_.ranks()));
    for (int rank = 0; rank < hierarchy_.ranks(); ++rank) {
        int group = hierarchy_.stop[static_cast<std::size_t>(rank)];
        while (hierarchy_.groups[group].depth > 1) {
            group = hierarchy_.groups[group].parent;
        }
        root_class_[static_cast<std::size_t>(rank)] = hierarchy_.groups[group].leader;
    }
    dump_hierarchy(comm_, settings_, hierarchy_, agreement.records);
    const bool open =
        bcast_overrides_.engine == algorithms::Engine::automatic && bcast_overrides_.methods.empty();
    if (bcast_overrides_.engine == algorithms::Engine::forward) {
        forward_all(ForwardReason::chosen);
    } else if (open && hierarchy_.groups.size() == 1) {
        forward_all(ForwardReason::no_hierarchy);
    } else {
        phase_ = Phase::usable;
    }
}

Planned& CommunicatorState::bcast_plan(std::size_t bytes, int root, bool delegate) {
    const SizeClass size = size_class(bytes);
    const std::uint64_t key =
        static_cast<std::uint64_t>(root_class(root)) << 16 | (delegate ? 0U : 1U << 15) | size.index;
    const auto [place, isnew] = plans_.try_emplace(key);
    if (isnew) {
        try {
            Planned& planned = place->second;
            planned.plan =
                algorithms::plan_bcast(hierarchy_, settings_.links,
                                       delegate ? bcast_overrides_ : without_delegation(bcast_overrides_),
                                       size.smallest, root_class(root));
            explain(planned.plan, bytes, root);
        } catch (...) {
            plans_.erase(place);
            throw;
        }
    }
    return place->second;
}

void CommunicatorState::explain(const algorithms::Plan& plan, std::size_t bytes, int root) const {
    if (settings_.verbose < 1 || ompi_comm_rank(comm_) != 0) {
        return;
    }
    opal_output(0, "coll:strata: %s bcast of %zu bytes from rank %d: %s", comm_->c_name, bytes, root,
                describe(plan).c_str());
}

const Edges& CommunicatorState::edges(Planned& planned, int root) {
    if (const auto known = planned.edges.find(root); known != planned.edges.end()) {
        return known->second;
    }
    if (planned.edges.size() >= most_edges) {
        planned.edges.clear();
    }
    Edges made{algorithms::tree_links(hierarchy_, planned.plan, root, ompi_comm_rank(comm_)), {}};
    for (const auto& edge : made.links.children) {
        made.levels.push_back({edge.peer, hierarchy_.groups[edge.group].level.kind});
    }
    return planned.edges.emplace(root, std::move(made)).first->second;
}

CommunicatorState::LevelSet* CommunicatorState::level_set(const algorithms::Plan& plan, int root) {
    const int key = stand_in_key(hierarchy_, root);
    const auto same = [&](const LevelSet& set) {
        return set.key == key && std::equal(set.components.begin(), set.components.end(), plan.levels.begin(),
                                            plan.levels.end(), [](const auto& component, const auto& level) {
                                                return component == level.method.component;
                                            });
    };
    const auto known = std::find_if(level_sets_.begin(), level_sets_.end(), same);
    return known == level_sets_.end() ? nullptr : &*known;
}

bool CommunicatorState::may_delegate(const algorithms::Plan& plan, int root) {
    return level_sets_.size() < most_level_sets || level_set(plan, root) != nullptr;
}

int CommunicatorState::level_communicators(const algorithms::Plan& plan, int root,
                                           LevelCommunicators*& found) {
    LevelSet* set = level_set(plan, root);
    if (set == nullptr) {
        const SetupTimer timer;
        LevelCommunicators::Outcome outcome;
        auto made = LevelCommunicators::make(comm_, hierarchy_, plan, root, outcome);
        if (outcome.rc != OMPI_SUCCESS) {
            return outcome.rc;
        }
        if (!outcome.agreed) {
            if (outcome.speaker) {
                show_unusable_methods(comm_->c_name, outcome.why);
            }
            // Equal on every rank: from here on this communicator's methods are our own choice.
            bcast_overrides_ = without_delegation(bcast_overrides_);
            bcast_overrides_.engine = algorithms::Engine::automatic;
            plans_.clear();
            return OMPI_SUCCESS;
        }
        // Named algorithms run on any communicator; only a component has to be selected when one is made.
        LevelSet fresh{{}, stand_in_key(hierarchy_, root), std::move(made)};
        for (const auto& level : plan.levels) {
            fresh.components.push_back(level.method.component);
        }
        level_sets_.push_back(std::move(fresh));
        set = &level_sets_.back();
    }
    set->communicators->aim(hierarchy_, plan, ompi_comm_rank(comm_), root);
    found = set->communicators.get();
    return OMPI_SUCCESS;
}

void CommunicatorState::trim_scratch(bool idle) {
    if (!idle) {
        // A message that was given up may still arrive: its memory must outlive us.
        static_cast<void>(new std::vector<std::byte>(std::move(scratch_)));
        scratch_ = {};
    } else if (scratch_.size() > scratch_to_keep) {
        std::vector<std::byte>().swap(scratch_);
    }
}

}  // namespace strata::component
