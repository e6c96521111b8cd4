// How a communicator plans its operations: what the user says, the model's choice, and what is kept of it.
#include <algorithm>
#include <bit>

#include "communicator_state.h"
#include "dump.h"

namespace strata::component {
namespace {

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

/// The same wishes without those that ask for the levels engine; `engine` in its place.
algorithms::Overrides without_delegation(algorithms::Overrides overrides, Collective op,
                                         algorithms::Engine engine) {
    using algorithms::Algorithm;
    if (overrides.engine != algorithms::Engine::automatic && overrides.engine != algorithms::Engine::levels) {
        return overrides;  // then check() has let no such method through
    }
    const algorithms::CollectiveTraits traits = algorithms::traits_of(op);
    overrides.engine = engine;
    overrides.engine_source = {};
    std::erase_if(overrides.methods, [&](const algorithms::LevelMethodRule& rule) {
        const Algorithm algorithm = rule.method.algorithm;
        return algorithm != Algorithm::automatic && algorithm != Algorithm::skip &&
               !algorithms::info(algorithm).tree_shape && !algorithms::exchanges_by(algorithm, traits);
    });
    return overrides;
}

}  // namespace

/// What parameters and rules say to an operation, as far as that could be done until now.
algorithms::Overrides CommunicatorState::wishes(const algorithms::Operation& operation, bool delegate,
                                                std::vector<std::string>& passed_over) const {
    const Collective op = operation.collective;
    auto [overrides, unusable] =
        algorithms::resolve(settings_.of(op), rules_[static_cast<std::size_t>(op)], hierarchy_, operation);
    passed_over = std::move(unusable);
    overrides.keep_levels = settings_.hierarchy.has_value();
    if (!delegate) {
        return without_delegation(std::move(overrides), op, algorithms::Engine::tree);
    }
    if (levels_given_up_[static_cast<std::size_t>(op)]) {
        return without_delegation(std::move(overrides), op, algorithms::Engine::automatic);
    }
    return overrides;
}

/// The plan of an operation whose root is its class's.
algorithms::Plan CommunicatorState::make_plan(algorithms::Operation operation, bool delegate) const {
    operation.lanes = std::max(1, lanes_.count());
    std::vector<std::string> passed_over;
    const algorithms::Overrides overrides = wishes(operation, delegate, passed_over);
    algorithms::Plan made = algorithms::make_plan(hierarchy_, settings_.links, overrides, operation);
    for (const std::string& why : passed_over) {
        made.reason += "; passed over " + settings_.rules_file + ":" + why;
    }
    return made;
}

/// What takes the place of `plan`, which make_plan() made.
std::optional<algorithms::Delegation> CommunicatorState::weigh_delegation(
    algorithms::Operation operation, const algorithms::Plan& plan) const {
    if (levels_given_up_[static_cast<std::size_t>(operation.collective)]) {
        return std::nullopt;
    }
    std::vector<std::string> told;  // by make_plan()
    return algorithms::weigh_delegation(hierarchy_, settings_.links, wishes(operation, true, told), operation,
                                        plan);
}

Planned& CommunicatorState::plan(const algorithms::Operation& operation, bool delegate) {
    const SizeClass size = size_class(operation.bytes);
    const int root = root_class(operation.collective, operation.root);
    const auto op = static_cast<unsigned>(operation.collective);
    const std::vector<std::size_t>& bounds = byte_bounds_[op];
    const auto bound = std::upper_bound(bounds.begin(), bounds.end(), operation.bytes);
    static_assert(2 * algorithms::most_rules < 1U << 16);
    const std::uint64_t key = static_cast<std::uint64_t>(bound - bounds.begin()) << 48 |
                              static_cast<std::uint64_t>(root) << 16 | op << 10 |
                              (operation.rank_order ? 1U << 9 : 0U) | (delegate ? 0U : 1U << 8) | size.index;
    const auto [place, isnew] = plans_.try_emplace(key);
    if (isnew) {
        try {
            algorithms::Operation representative = operation;
            representative.bytes =
                bound == bounds.begin() ? size.smallest : std::max(size.smallest, *std::prev(bound));
            representative.root = root;
            place->second.plan = make_plan(representative, delegate);
            explain(operation, place->second.plan);
            if (delegate) {
                place->second.delegation = weigh_delegation(representative, place->second.plan);
            }
        } catch (...) {
            plans_.erase(place);
            throw;
        }
    }
    delegate_if_it_pays(place->second, operation);
    return place->second;
}

/// Every rank counts the calls of a plan alike (count_call()), and changes it at the same one.
void CommunicatorState::delegate_if_it_pays(Planned& planned, const algorithms::Operation& operation) {
    if (!planned.delegation || !planned.delegation->pays(planned.calls)) {
        return;
    }
    planned.plan = std::move(planned.delegation->plan);
    planned.delegation.reset();
    planned.routes.clear();
    explain(operation, planned.plan);
}

void CommunicatorState::explain(const algorithms::Operation& operation, const algorithms::Plan& plan) const {
    if (settings_.verbose < 1 || ompi_comm_rank(comm_) != 0) {
        return;
    }
    const std::string name(algorithms::collective_names[static_cast<int>(operation.collective)]);
    opal_output(0, "coll:strata: %s %s of %zu bytes from rank %d: %s", comm_->c_name, name.c_str(),
                operation.bytes, operation.root,
                describe(plan, operation.collective, settings_.rules_file).c_str());
}

}  // namespace strata::component
