#include "component/settings/info_keys.h"

#include <algorithm>
#include <array>
#include <map>

#include "topology/text.h"

namespace strata::component {
namespace {

struct Parameter {
    std::string_view name;
    std::string SettingsText::*member;
};
constexpr std::array<Parameter, 6> parameters{{{"disable", &SettingsText::disable},
                                               {"hierarchy", &SettingsText::hierarchy},
                                               {"reproducible", &SettingsText::reproducible},
                                               {"rules", &SettingsText::rules},
                                               {"verbose", &SettingsText::verbose},
                                               {"window", &SettingsText::window}}};

struct CollectiveParameter {
    std::string_view suffix;
    std::string CollectiveText::*member;
};
constexpr std::array<CollectiveParameter, 3> collective_parameters{
    {{"_algorithm", &CollectiveText::algorithm},
     {"_level_algorithms", &CollectiveText::level_algorithms},
     {"_segsize", &CollectiveText::segsize}}};

// Parameters of the job or of a node, not of a communicator.
constexpr std::array<std::string_view, 11> of_the_job{
    "check_plans", "dump",     "hand_back",   "network",       "nic",
    "placement",   "priority", "setup_after", "shared_memory", "stall_report", "topology"};

/// Returns the member of `text` that holds `parameter`; nullptr when no info key can set it.
std::string* place_of(SettingsText& text, std::string_view parameter) {
    for (const Parameter& known : parameters) {
        if (known.name == parameter) {
            return &(text.*known.member);
        }
    }
    for (int op = 0; op < collective_count; ++op) {
        const std::string_view name = collective_names[static_cast<std::size_t>(op)];
        for (const CollectiveParameter& known : collective_parameters) {
            if (parameter.starts_with(name) && parameter.substr(name.size()) == known.suffix) {
                return &(text.collectives[static_cast<std::size_t>(op)].*known.member);
            }
        }
    }
    return nullptr;
}

std::string why_unknown(std::string_view parameter) {
    if (std::ranges::find(of_the_job, parameter) != of_the_job.end()) {
        std::string why =
            "holds for a whole job and cannot be set by an info key; it is a parameter, coll_strata_" +
            std::string(parameter);
        if (parameter == "priority") {
            why += " (one communicator: ompi_comm_coll_preference=^strata)";
        }
        return why;
    }
    std::string why = "unknown key; known: ";
    for (const Parameter& known : parameters) {
        why += std::string(info_prefix) + std::string(known.name) + ", ";
    }
    why += "and";
    for (std::size_t i = 0; i < collective_parameters.size(); ++i) {
        why += (i == 0 ? " " : ", ") + std::string(info_prefix) + "OP" +
               std::string(collective_parameters[i].suffix);
    }
    why += ", where OP is one of ";
    for (std::size_t i = 0; i < collective_names.size(); ++i) {
        why += (i == 0 ? "" : ", ") + std::string(collective_names[i]);
    }
    return why;
}

/// Returns the keys by parameter. Appends unknown and contradictory keys to `errors`.
std::map<std::string, InfoKey> sorted(const std::vector<InfoKey>& keys, std::vector<std::string>& errors) {
    std::map<std::string, InfoKey> by_parameter;
    for (const InfoKey& key : keys) {
        const std::string parameter(parameter_of(key.key));
        SettingsText any;
        if (place_of(any, parameter) == nullptr) {
            errors.push_back(key.key + " = '" + key.value + "': " + why_unknown(parameter));
            continue;
        }
        const auto [known, isnew] = by_parameter.try_emplace(parameter, key);
        if (!isnew && known->second.value != key.value) {
            errors.push_back(key.key + " = '" + key.value + "': contradicts " + known->second.key + " = '" +
                             known->second.value + "'");
        }
    }
    return by_parameter;
}

algorithms::Overrides from_info_keys(algorithms::Overrides overrides) {
    const algorithms::Source source{algorithms::Origin::info_key, 0};
    overrides.engine_source = source;
    for (auto& rule : overrides.methods) {
        rule.source = source;
    }
    for (auto& rule : overrides.segments) {
        rule.source = source;
    }
    return overrides;
}

/// Builds one communicator's settings from `base` and the keys.
class Maker {
public:
    Maker(const std::map<std::string, InfoKey>& keys, const Settings& base,
          const std::vector<std::string>& components, std::vector<std::string>& errors)
        : keys_(keys), base_(base), components_(components), errors_(errors), made_(base) {}

    CommunicatorSettings make(const Surroundings& surroundings) {
        if (const auto text = parsed("verbose")) {
            made_.verbose = text->verbose;
        }
        if (const auto text = parsed("window")) {
            made_.window = text->window;
        }
        if (const auto text = parsed("hierarchy")) {
            made_.hierarchy = text->hierarchy;
        }
        if (const auto text = parsed("reproducible")) {
            made_.reproducible = text->reproducible;
        }
        if (const auto text = parsed("disable")) {
            for (std::size_t op = 0; op < made_.disabled.size(); ++op) {
                made_.disabled[op] = made_.disabled[op] || text->disabled[op];
            }
        }
        if (auto text = parsed("rules")) {
            made_.rules = std::move(text->rules);
            made_.rules_file = std::move(text->rules_file);
            made_.rules_hash = text->rules_hash;
            made_.links = std::move(text->links);
            made_.links.set_eager_limits(surroundings.network_eager_bytes, surroundings.node_eager_bytes);
        }
        merge_collectives();
        return std::move(made_);
    }

private:
    /// Messages name a parameter by the key that set it.
    std::string called(const std::string& parameter) const {
        const auto known = keys_.find(parameter);
        return known == keys_.end() ? info_key(parameter) : known->second.key;
    }
    Settings parse(const SettingsText& text) {
        return parse_settings(text, components_, errors_,
                              [this](const std::string& parameter) { return called(parameter); });
    }
    /// Parses one key alone; empty when it is absent or invalid.
    std::optional<Settings> parsed(const std::string& parameter) {
        const auto key = keys_.find(parameter);
        if (key == keys_.end()) {
            return std::nullopt;
        }
        SettingsText text;
        *place_of(text, parameter) = topology::trimmed(key->second.value);
        const std::size_t before = errors_.size();
        Settings settings = parse(text);
        return errors_.size() == before ? std::optional(std::move(settings)) : std::nullopt;
    }
    void merge_collectives() {
        SettingsText text;
        for (const auto& [parameter, key] : keys_) {
            if (parameter.find('_') != std::string::npos) {
                *place_of(text, parameter) = key.value;
            }
        }
        const Settings asked = parse(text);
        for (int op = 0; op < collective_count; ++op) {
            const auto collective = static_cast<Collective>(op);
            algorithms::Overrides weaker = base_.of(collective);
            const std::string name(collective_names[static_cast<std::size_t>(op)]);
            if (text.collectives[static_cast<std::size_t>(op)].algorithm == "auto" &&
                keys_.contains(name + "_algorithm")) {
                weaker.engine = algorithms::Engine::automatic;
            }
            auto& merged = made_.overrides[static_cast<std::size_t>(op)];
            merged = algorithms::merge(from_info_keys(asked.of(collective)), weaker, collective);
            merged.window = made_.window;
        }
    }

    const std::map<std::string, InfoKey>& keys_;
    const Settings& base_;
    const std::vector<std::string>& components_;
    std::vector<std::string>& errors_;
    CommunicatorSettings made_;
};

}  // namespace

std::string_view parameter_of(std::string_view key) {
    for (const std::string_view prefix : {info_prefix, long_info_prefix}) {
        if (key.starts_with(prefix)) {
            return key.substr(prefix.size());
        }
    }
    return {};
}

bool is_of_communicator(std::string_view parameter) {
    SettingsText any;
    return place_of(any, parameter) != nullptr;
}

std::string info_key(const std::string& parameter) { return std::string(info_prefix) + parameter; }

OwnSettings own_settings(const std::vector<InfoKey>& keys, const Settings& base,
                         const Surroundings& surroundings, const std::vector<std::string>& components,
                         std::vector<std::string>& errors) {
    std::vector<std::string> complaints;
    const std::map<std::string, InfoKey> by_parameter = sorted(keys, complaints);
    OwnSettings own;
    own.settings = Maker(by_parameter, base, components, complaints).make(surroundings);
    std::string compared;
    for (const auto& [parameter, key] : by_parameter) {
        own.keys_text += (own.keys_text.empty() ? "" : ", ") + parameter + "=" + key.value;
        if (parameter == "verbose") continue;  // may differ: it changes no message pattern
        const std::string content = std::to_string(own.settings.rules_hash);
        compared += parameter + "=" + (parameter == "rules" ? content : key.value) + "\n";
    }
    for (const std::string& complaint : complaints) {
        compared += complaint + "\n";
    }
    own.hash = compared.empty() ? 0 : topology::stable_hash(compared);
    errors.insert(errors.end(), complaints.begin(), complaints.end());
    return own;
}

}  // namespace strata::component
