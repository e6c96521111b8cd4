#include "communicator_state.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "agreement.h"
#include "dump.h"
#include "messages.h"

namespace strata::component {
namespace {

constexpr std::size_t most_level_sets = 8;  // each holds one communicator per level
constexpr std::size_t most_edges = 64;      // roots per plan
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

void CommunicatorState::set_up() {
    const SetupTimer timer;
    const Agreement agreement = agree(comm_);
    if (!agreement.agreed) {
        reason_ = agreement.reason;
        phase_ = Phase::forwarding;
        return;
    }
    agreed_ = true;
    hierarchy_ = topology::build_hierarchy(agreement.records, settings_.hierarchy);
    root_class_.resize(static_cast<std::size_t>(hierarchy_.ranks()));
    for (int rank = 0; rank < hierarchy_.ranks(); ++rank) {
        int group = hierarchy_.stop[static_cast<std::size_t>(rank)];
        while (hierarchy_.groups[group].depth > 1) {
            group = hierarchy_.groups[group].parent;
        }
        root_class_[static_cast<std::size_t>(rank)] = hierarchy_.groups[group].leader;
    }
    phase_ = nothing_to_gain() ? Phase::forwarding : Phase::usable;
    dump_hierarchy(comm_, settings_, hierarchy_, agreement.records);
}

/// True when no plan could differ from the previous component's way.
bool CommunicatorState::nothing_to_gain() {
    if (bcast_overrides_.engine == algorithms::Engine::forward) {
        reason_ = ForwardReason::chosen;
        return true;
    }
    reason_ = ForwardReason::no_hierarchy;
    return bcast_overrides_.engine == algorithms::Engine::automatic && bcast_overrides_.methods.empty() &&
           hierarchy_.groups.size() == 1;
}

Planned& CommunicatorState::bcast_plan(std::size_t bytes, int root) {
    const SizeClass size = size_class(bytes);
    const std::uint64_t key = static_cast<std::uint64_t>(root_class(root)) << 16 | size.index;
    const auto [place, isnew] = plans_.try_emplace(key);
    if (isnew) {
        try {
            Planned& planned = place->second;
            planned.plan = algorithms::plan_bcast(hierarchy_, settings_.links, bcast_overrides_,
                                                  size.smallest, root_class(root));
            planned.plan.window = settings_.window;
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

LevelCommunicators* CommunicatorState::level_communicators(const algorithms::Plan& plan, int root) {
    // Named algorithms run on any communicator; only a component has to be selected when one is made.
    std::vector<std::string> components;
    for (const auto& level : plan.levels) {
        components.push_back(level.method.component);
    }
    const int key = stand_in_key(hierarchy_, root);
    const auto known = std::find_if(level_sets_.begin(), level_sets_.end(), [&](const LevelSet& set) {
        return set.key == key && set.components == components;
    });
    if (known != level_sets_.end()) {
        std::rotate(level_sets_.begin(), known, known + 1);
        level_sets_.front().communicators->aim(hierarchy_, plan, ompi_comm_rank(comm_), root);
        return level_sets_.front().communicators.get();
    }
    const SetupTimer timer;
    LevelCommunicators::Outcome outcome;
    auto made = std::make_unique<LevelCommunicators>(comm_, hierarchy_, plan, root, outcome);
    if (!outcome.agreed) {
        if (outcome.speaker) {
            show_unusable_methods(comm_->c_name, outcome.why);
        }
        // Equal on every rank: from here on this communicator's methods are our own choice.
        bcast_overrides_.methods.clear();
        if (bcast_overrides_.engine == algorithms::Engine::levels) {
            bcast_overrides_.engine = algorithms::Engine::automatic;
        }
        plans_.clear();
        return nullptr;
    }
    if (level_sets_.size() >= most_level_sets) {
        level_sets_.pop_back();
    }
    made->aim(hierarchy_, plan, ompi_comm_rank(comm_), root);
    level_sets_.push_front({std::move(components), key, std::move(made)});
    return level_sets_.front().communicators.get();
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
