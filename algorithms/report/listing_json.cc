#include "algorithms/planning/candidates.h"
#include "algorithms/report/json_members.h"
#include "algorithms/report/plan_listing.h"
#include "topology/text.h"

namespace strata::algorithms {
namespace {

using topology::json_text;

std::string source_json(const Source& source, const std::string& parameter, const std::string& rules_file) {
    switch (source.origin) {
        case Origin::model: break;
        case Origin::rules_file:
            return R"({"origin":"rules_file","file":)" + json_text(rules_file) +
                   ",\"line\":" + std::to_string(source.line) + "}";
        case Origin::parameter:
            return R"({"origin":"parameter","name":)" + json_text(std::string(parameter_prefix) + parameter) +
                   "}";
        case Origin::info_key:
            return R"({"origin":"info_key","name":)" + json_text(std::string(info_key_prefix) + parameter) +
                   "}";
    }
    return R"({"origin":"model"})";
}

std::string levels_json(const Plan& plan, const std::string& op, const std::string& rules_file,
                        bool sources) {
    std::string json = "[";
    for (std::size_t l = 0; l < plan.levels.size(); ++l) {
        const LevelPlan& level = plan.levels[l];
        json += (l > 0 ? ",{" : "{") + member("level", json_text(topology::name_of(level.level))) + "," +
                member("algorithm", json_text(name_of(level.method))) + "," +
                member("segment", std::to_string(level.segment_bytes));
        if (sources && l < plan.sources.size()) {
            json += "," +
                    member("algorithm_from",
                           source_json(plan.sources[l].method, op + "_level_algorithms", rules_file)) +
                    "," +
                    member("segment_from", source_json(plan.sources[l].segment, op + "_segsize", rules_file));
        }
        json += "}";
    }
    return json + "]";
}

std::string skipped_json(const Plan& plan, const std::string& op, const std::string& rules_file,
                         bool sources) {
    std::string json = "[";
    for (std::size_t s = 0; s < plan.skipped.size(); ++s) {
        json += (s > 0 ? ",{" : "{") + member("level", json_text(topology::name_of(plan.skipped[s])));
        if (sources && s < plan.skipped_sources.size()) {
            json += "," + member("from",
                                 source_json(plan.skipped_sources[s], op + "_level_algorithms", rules_file));
        }
        json += "}";
    }
    return json + "]";
}

std::string parameters_json(const Plan& plan, Collective collective) {
    std::string json = "{";
    for (const auto& [name, value] : plan_parameters(plan, collective)) {
        json += (json.size() > 1 ? "," : "") + json_text(name) + ":" + json_text(value);
    }
    return json + "}";
}

std::string plan_json(const Plan& plan, Collective collective, const std::string& rules_file, bool sources) {
    const std::string op(name_of(collective));
    std::string json = "{" + member("engine", json_text(name_of(plan.engine)));
    if (sources)
        json += "," + member("engine_from", source_json(plan.engine_source, op + "_algorithm", rules_file));
    const bool ours = plan.engine != Engine::forward;
    json += "," + member("levels", ours ? levels_json(plan, op, rules_file, sources) : "[]");
    if (ours) {
        json += "," + member("skipped", skipped_json(plan, op, rules_file, sources)) + "," +
                member("window", std::to_string(plan.window)) + "," +
                member("network_window_bytes", std::to_string(plan.network_window_bytes)) + "," +
                member("nic_local", plan.nic_local ? "true" : "false") + "," +
                member("rails", std::to_string(plan.rails));
    }
    return json + "," + member("predicted_us", plan.predicted_us) + "," +
           member("forward_us", plan.forward_us) + "," + member("reason", json_text(plan.reason)) + "," +
           member("parameters", parameters_json(plan, collective)) + "}";
}

std::string delegation_json(const Delegation& later, Collective collective) {
    return "\"delegation\":{" + member("calls", std::to_string(later.first_call)) + "," +
           member("gain_us", later.gain_us) + "," + member("setup_us", later.setup_us) + "," +
           member("plan", plan_json(later.plan, collective, "", false)) + "}";
}

}  // namespace

std::string plans_json(const PlanListing& listing) {
    std::string json = "[";
    for (const ListedPlan& listed : listing.plans) {
        json += (json.size() > 1 ? ",\n{" : "{") +
                member("collective", json_text(name_of(listed.collective))) + "," +
                member("bytes", std::to_string(listed.from)) + "," +
                member("to_bytes", std::to_string(listed.to)) + "," +
                member("ranks", std::to_string(listing.ranks)) + "," +
                member("root", std::to_string(listed.root)) + "," +
                member("chosen", plan_json(listed.plan, listed.collective, listing.rules_file, true));
        if (listed.to != listed.from) {
            json += "," + member("predicted_to_us", listed.predicted_to_us) + "," +
                    member("forward_to_us", listed.forward_to_us);
            if (listed.bound_us > 0) json += "," + member("bound_to_us", listed.bound_to_us);
        }
        if (listed.delegated_us > 0) json += "," + member("delegated_us", listed.delegated_us);
        if (listed.bound_us > 0) json += "," + member("bound_us", listed.bound_us);
        if (listed.delegation) json += "," + delegation_json(*listed.delegation, listed.collective);
        json += ",\"candidates\":[";
        for (const Plan& candidate : listed.candidates) {
            if (json.back() != '[') json += ",";
            json += plan_json(candidate, listed.collective, listing.rules_file, false);
        }
        json += "]}";
    }
    return json + "]";
}

std::string links_json(const PlanListing& listing) {
    std::string json = "[";
    for (const ListedLink& link : listing.links) {
        const auto from = [&](const Source& source) {
            return source_json(source, "rules", listing.rules_file);
        };
        json +=
            (json.size() > 1 ? ",{" : "{") + member("level", json_text(topology::name_of(link.level))) + "," +
            member("latency_us", link.link.latency_us) + "," + member("overhead_us", link.link.overhead_us) +
            "," + member("mbytes_per_s", link.link.bytes_per_us) + "," +
            member("eager_bytes", std::to_string(link.link.eager_bytes)) + "," +
            member("parallel", link.link.parallel) + ",\"from\":{" +
            member("latency_us", from(link.latency)) + "," + member("overhead_us", from(link.overhead)) +
            "," + member("mbytes_per_s", from(link.bandwidth)) + "," +
            member("eager_bytes", from(link.eager)) + "," + member("parallel", from(link.parallel)) + "}}";
    }
    return json + "]";
}

std::string listing_members(const PlanListing& listing) {
    return "\n\"eager_bytes\":{" + member("network", std::to_string(listing.network_eager_bytes)) + "," +
           member("node", std::to_string(listing.node_eager_bytes)) + "},\n\"links\":" + links_json(listing) +
           (listing.communicator.empty() ? "" : ",\n" + member("plans_of", json_text(listing.communicator))) +
           ",\n\"plans\":" + plans_json(listing);
}

}  // namespace strata::algorithms
