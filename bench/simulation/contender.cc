#include "contender.h"

#include <stdexcept>
#include <string_view>

#include "strata/topology/text.h"

namespace strata::simulation {
namespace {

constexpr const char* known_names =
    "mpi, strata, untuned, levels:ALGORITHM, whole:ALGORITHM, flat:ALGORITHM, flat:ALGORITHM/BYTES";

[[noreturn]] void unknown(const std::string& name, const std::string& why) {
    throw std::invalid_argument("contender '" + name + "': " + why + "; known: " + known_names);
}

}  // namespace

Contender::Contender(const std::string& name, const Machine& machine, const Ranks& ranks)
    : name_(name), hierarchy_(&ranks.hierarchy) {
    const std::size_t colon = name.find(':');
    const std::string kind = name.substr(0, colon);
    if (kind == "mpi" && colon == std::string::npos) return;
    if (kind == "strata") settings_.links = machine.table(ranks.hierarchy);
    if (kind == "untuned") settings_.links.set_eager_limits(machine.eager_bytes, machine.eager_bytes);
    if (kind == "levels" || kind == "whole" || kind == "flat") {
        if (colon == std::string::npos) unknown(name, "names no algorithm");
        settings_.links = machine.table(ranks.hierarchy);
        std::string method = name.substr(colon + 1);
        std::optional<std::size_t> segment;
        if (kind != "levels") segment = 0;
        if (const std::size_t slash = method.find('/'); slash != std::string::npos) {
            segment = topology::whole_number<std::size_t>(method.substr(slash + 1));
            if (!segment) unknown(name, "no number of bytes behind '/'");
            method.resize(slash);
        }
        if (kind == "flat") hierarchy_ = &ranks.flat;
        fix(method, segment);
    } else if ((kind != "strata" && kind != "untuned") || colon != std::string::npos) {
        unknown(name, "unknown");
    }
    planner_ = std::make_unique<algorithms::Planner>(*hierarchy_, settings_, false);
}

/// One algorithm, and perhaps segment, on every level.
void Contender::fix(const std::string& method, std::optional<std::size_t> segment) {
    std::string methods;
    for (const topology::LevelKey level : hierarchy_->levels()) {
        methods += (methods.empty() ? "" : ",") + topology::name_of(level) + "=" + method;
    }
    algorithms::Overrides overrides;
    overrides.engine = algorithms::Engine::tree;
    try {
        overrides.methods = algorithms::parse_level_methods(methods);
    } catch (const std::invalid_argument& error) {
        unknown(name_, error.what());
    }
    if (segment) overrides.segments = algorithms::parse_level_sizes(std::to_string(*segment));
    settings_.overrides.fill(overrides);
    fixed_ = true;
}

void Contender::insist_on(algorithms::Collective collective) const {
    const std::string why = fixed_ ? algorithms::check(settings_.of(collective), collective) : std::string();
    if (!why.empty()) unknown(name_, std::string(name_of(collective)) + ": " + why);
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
    if (isnew) place->second = planner_->make_plan(found.representative);
    return place->second;
}

}  // namespace strata::simulation
