#include "contender.h"

#include <stdexcept>
#include <string_view>

#include "algorithms/planning/make_plan.h"
#include "topology/text.h"

namespace strata::simulation {
namespace {

constexpr const char* known_names =
    "mpi, tuned, strata, untuned, levels:ALGORITHM, whole:ALGORITHM, all:ALGORITHM, flat:ALGORITHM, "
    "gathers, /BYTES after an algorithm, and @VIEW after all but mpi, tuned and flat";

[[noreturn]] void unknown(const std::string& name, const std::string& why) {
    throw std::invalid_argument("contender '" + name + "': " + why + "; known: " + known_names);
}

/// KIND[:METHOD][@VIEW]
struct Words {
    std::string kind;
    std::optional<std::string> method;
    std::optional<std::string> view;
};

Words split(std::string name) {
    Words words;
    if (const std::size_t at = name.find('@'); at != std::string::npos) {
        words.view = name.substr(at + 1);
        name.resize(at);
    }
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
        words.method = name.substr(colon + 1);
        name.resize(colon);
    }
    words.kind = name;
    return words;
}

}  // namespace

Contender::Contender(const std::string& name, const Machine& machine, Ranks& ranks) : name_(name) {
    const Words words = split(name);
    if (name == "mpi") return;
    const bool flat = words.kind == "flat";
    const bool fixes = flat || words.kind == "levels" || words.kind == "whole" || words.kind == "all";
    const bool tuned = words.kind == "tuned";
    gathers_ = words.kind == "gathers";
    if (!fixes && !tuned && !gathers_ && words.kind != "strata" && words.kind != "untuned")
        unknown(name, "unknown");
    if (fixes != words.method.has_value()) unknown(name, fixes ? "names no algorithm" : "takes no algorithm");
    if ((flat || tuned) && words.view) unknown(name, "has no levels");
    try {
        hierarchy_ = flat ? &ranks.flat() : &ranks.seen_as(words.view.value_or(""));
    } catch (const std::invalid_argument& error) {
        unknown(name, error.what());
    }
    if (gathers_) return;
    if (words.kind == "untuned") {
        settings_.links.set_eager_limits(machine.eager_bytes, machine.eager_bytes);
    } else {
        settings_.links = machine.table(flat ? ranks.hierarchy() : *hierarchy_);
    }
    if (fixes) fix(*words.method, flat || words.kind == "whole", words.kind == "all");
    if (tuned) {
        algorithms::Overrides forward;
        forward.engine = algorithms::Engine::forward;
        settings_.overrides.fill(forward);
    }
    planner_ = std::make_unique<algorithms::Planner>(*hierarchy_, settings_, false);
}

/// Sets one algorithm on every level, or on the topmost level with all others excluded. Segments have the
/// size given after the algorithm, fill the whole message, or follow the model.
void Contender::fix(std::string method, bool whole, bool among_all) {
    std::optional<std::size_t> segment;
    if (whole) segment = 0;
    if (const std::size_t slash = method.find('/'); slash != std::string::npos) {
        segment = topology::whole_number<std::size_t>(method.substr(slash + 1));
        if (!segment) unknown(name_, "no number of bytes after '/'");
        method.resize(slash);
    }
    std::string methods;
    for (const topology::LevelKey level : hierarchy_->levels()) {
        const bool skipped = among_all && !methods.empty();
        methods +=
            (methods.empty() ? "" : ",") + topology::name_of(level) + "=" + (skipped ? "skip" : method);
    }
    algorithms::Overrides overrides;
    overrides.engine = method == "ring" ? algorithms::Engine::ring : algorithms::Engine::tree;
    try {
        overrides.methods = algorithms::parse_level_methods(methods);
    } catch (const std::invalid_argument& error) {
        unknown(name_, error.what());
    }
    if (segment) overrides.segments = algorithms::parse_level_sizes(std::to_string(*segment));
    settings_.overrides.fill(overrides);
    fixed_ = true;
    among_all_ = among_all;
}

void Contender::insist_on(const Call& call) const {
    const algorithms::Collective collective = call.collective;
    if (gathers_ && (collective != algorithms::Collective::reduce || call.root != 0))
        unknown(name_, "can do a Reduce to rank 0 only");
    const std::string why = fixed_ ? algorithms::check(settings_.of(collective), collective) : std::string();
    if (!why.empty()) unknown(name_, std::string(name_of(collective)) + ": " + why);
    if (!among_all_) return;
    const algorithms::Operation any = operation({collective, 1 << 20});
    if (planner_->make_plan(any).levels.size() > 1)
        unknown(name_, std::string(name_of(collective)) + ": not all ranks can do that alike");
}

algorithms::Operation Contender::operation(const Call& call) const {
    algorithms::Operation operation;
    operation.collective = call.collective;
    operation.bytes = call.bytes;
    operation.root = algorithms::traits_of(call.collective).rooted ? call.root : planner_->tree_root(false);
    return operation;
}

const algorithms::Plan& Contender::plan(const Call& call) {
    const algorithms::PlanClass found = planner_->class_of(operation(call));
    const auto [place, isnew] = plans_.try_emplace(found.key);
    if (isnew) place->second = planner_->lasting_plan(found.representative);
    return place->second;
}

std::shared_ptr<const UnderlyingComponent> Contender::underlying_component(const Call& call) {
    if (underlying_component_ == nullptr || forwarded_ != call) {
        underlying_component_ =
            std::make_shared<const UnderlyingComponent>(operation(call), hierarchy_->ranks());
        forwarded_ = call;
    }
    return underlying_component_;
}

}  // namespace strata::simulation
