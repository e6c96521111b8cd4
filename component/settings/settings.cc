#include "component/settings/settings.h"

#include <algorithm>
#include <new>

#include "algorithms/config/presets.h"
#include "component/base/plugin_folder.h"
#include "topology/text.h"

namespace strata::component {
namespace {

using topology::stable_hash;

constexpr int most_stall_seconds = 86'400;
constexpr int most_lazy_calls = 1'000'000;

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> result;
    for (const std::string_view entry : topology::split(text, ',')) {
        if (const auto word = topology::trimmed(entry); !word.empty()) {
            result.emplace_back(word);
        }
    }
    return result;
}

std::string known_collectives() {
    std::string names;
    for (auto name : collective_names) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
}

/// Runs parsers. Appends each parse error with the parameter's name to `errors`; the default stays in place.
class Reader {
public:
    Reader(std::vector<std::string>& errors, const NameInMessages& called)
        : errors_(errors), called_(called) {}
    void read(const std::string& name, const std::string& value, const std::function<void()>& parse) {
        try {
            parse();
        } catch (const std::bad_alloc&) {
            throw;  // not the user's mistake
        } catch (const std::exception& error) {
            errors_.push_back(called_(name) + " = '" + value + "': " + error.what());
        }
    }
    /// The same for a file: the error text of `parse` names it.
    void read_file(const std::string& name, const std::function<void()>& parse) {
        try {
            parse();
        } catch (const std::bad_alloc&) {
            throw;  // not the user's mistake
        } catch (const std::exception& error) {
            errors_.push_back(called_(name) + ": " + error.what());
        }
    }

private:
    std::vector<std::string>& errors_;
    const NameInMessages& called_;
};

int parse_number(const std::string& text, int least, int most, const std::string& what) {
    const auto value = topology::whole_number<int>(text);
    if (!value || *value < least || *value > most) {
        throw std::invalid_argument("must be a whole number from " + std::to_string(least) + " to " +
                                    std::to_string(most) + what);
    }
    return *value;
}

std::optional<topology::HierarchyHint> parse_hierarchy(const std::string& text) {
    if (topology::trimmed(text).empty()) {
        return std::nullopt;
    }
    return topology::parse_hierarchy_hint(text);
}

/// Changes `settings` only after the whole file has been parsed.
void parse_rules(const std::string& value, const std::vector<std::string>& components, Settings& settings) {
    if (value.empty()) {
        return;
    }
    const std::string path = algorithms::rules_file_of(value, plugin_folder());
    const std::string text = topology::read_text_file(path, algorithms::longest_rules_file);
    settings.rules = algorithms::parse_rules(text, path, components);
    settings.rules_file = path;
    settings.rules_hash = stable_hash(text);
    algorithms::set_links(settings.links, settings.rules.links);
}

algorithms::Overrides parse_overrides(Collective collective, const CollectiveText& text,
                                      const std::vector<std::string>& components, Reader& reader) {
    const std::string op(algorithms::name_of(collective));
    algorithms::Overrides parsed;
    reader.read(op + "_algorithm", text.algorithm, [&] {
        const auto engine = algorithms::engine_from_name(text.algorithm);
        if (!engine) {
            throw std::invalid_argument("unknown engine; known: " + algorithms::known_engine_names());
        }
        parsed.engine = *engine;
    });
    reader.read(op + "_level_algorithms", text.level_algorithms,
                [&] { parsed.methods = algorithms::parse_level_methods(text.level_algorithms, components); });
    reader.read(op + "_segsize", text.segsize,
                [&] { parsed.segments = algorithms::parse_level_sizes(text.segsize); });
    // First an engine that the collective lacks, then a conflict of engine and methods.
    const auto without = [&](auto&& give_up) {
        const std::string conflict = algorithms::check(parsed, collective);
        if (!conflict.empty()) {
            give_up();
            throw std::invalid_argument(conflict);
        }
    };
    auto methods = std::move(parsed.methods);
    parsed.methods.clear();
    reader.read(op + "_algorithm", text.algorithm,
                [&] { without([&] { parsed.engine = algorithms::Engine::automatic; }); });
    parsed.methods = std::move(methods);
    reader.read(op + "_level_algorithms", text.level_algorithms,
                [&] { without([&] { parsed.methods.clear(); }); });
    return parsed;
}

void read_synthetic_machine(const SettingsText& text, Settings& settings, Reader& reader) {
    if (!text.topology.empty()) {
        reader.read("topology", text.topology,
                    [&] { settings.machine = topology::Machine::load(text.topology); });
    }
    if (settings.machine && text.placement.empty()) {
        reader.read("topology", text.topology, [&] {
            settings.machine.reset();
            throw std::invalid_argument("needs coll_strata_placement, which places the ranks on it");
        });
    }
    if (!text.placement.empty()) {
        reader.read("placement", text.placement, [&] {
            if (!settings.machine) {
                throw std::invalid_argument(
                    "needs coll_strata_topology, the machine that it places ranks on");
            }
            auto placement = topology::parse_placement(text.placement);
            for (const auto& place : placement) {
                settings.machine->bound_to_cores(place.cores);
            }
            settings.placement = std::move(placement);
        });
    }
}

}  // namespace

Settings parse_settings(const SettingsText& text, const std::vector<std::string>& components,
                        std::vector<std::string>& errors, const NameInMessages& called) {
    Settings settings;
    Reader reader(errors, called);
    settings.dump = text.dump;
    reader.read("priority", text.priority,
                [&] { settings.priority = parse_number(text.priority, -1, 100, " (-1: off)"); });
    reader.read("verbose", text.verbose, [&] { settings.verbose = parse_number(text.verbose, 0, 100, ""); });
    reader.read("window", text.window, [&] {
        settings.window =
            text.window == "auto" ? 0 : parse_number(text.window, 1, 1024, " messages, or auto");
    });
    reader.read("hierarchy", text.hierarchy, [&] { settings.hierarchy = parse_hierarchy(text.hierarchy); });
    reader.read("network", text.network, [&] {
        topology::NetworkSource source = topology::parse_network_source(text.network);
        settings.network = std::move(source.network);
        settings.slurm_network = source.slurm;
    });
    reader.read_file("rules", [&] { parse_rules(text.rules, components, settings); });
    reader.read("nic", text.nic, [&] {
        settings.nic_local = text.nic != "none";
        if (settings.nic_local && text.nic != "auto") {
            settings.nic = topology::parse_nics(text.nic);
        }
    });
    reader.read("reproducible", text.reproducible,
                [&] { settings.reproducible = parse_number(text.reproducible, 0, 1, "") == 1; });
    reader.read("setup_after", text.setup_after,
                [&] { settings.setup_after = parse_number(text.setup_after, 0, most_lazy_calls, ""); });
    settings.search_at_once = settings.setup_after == 0;
    reader.read("shared_memory", text.shared_memory,
                [&] { settings.shares_memory = parse_number(text.shared_memory, 0, 1, "") == 1; });
    reader.read("hand_back", text.hand_back,
                [&] { settings.hand_back = parse_number(text.hand_back, 0, 1, "") == 1; });
    reader.read("check_plans", text.check_plans,
                [&] { settings.check_plans = parse_number(text.check_plans, 0, 1, "") == 1; });
    reader.read("stall_report", text.stall_report, [&] {
        settings.stall_report = parse_number(text.stall_report, 0, most_stall_seconds, " seconds (0: off)");
    });
    reader.read("disable", text.disable, [&] {
        std::array<bool, collective_count> disabled{};
        for (const auto& word : words(text.disable)) {
            const auto place = std::find(collective_names.begin(), collective_names.end(), word);
            if (place == collective_names.end()) {
                throw std::invalid_argument("unknown collective '" + word +
                                            "'; known: " + known_collectives());
            }
            disabled[static_cast<std::size_t>(place - collective_names.begin())] = true;
        }
        settings.disabled = disabled;
    });
    read_synthetic_machine(text, settings, reader);
    for (std::size_t op = 0; op < collective_names.size(); ++op) {
        settings.overrides[op] =
            parse_overrides(static_cast<Collective>(op), text.collectives[op], components, reader);
        settings.overrides[op].window = settings.window;
    }
    return settings;
}

std::vector<std::string> values_without_effect(const SettingsText& text, const Settings& settings) {
    const CollectiveText unset;
    std::vector<std::string> names;
    for (std::size_t op = 0; op < collective_names.size(); ++op) {
        if (!settings.disabled[op]) continue;
        const CollectiveText& given = text.collectives[op];
        const std::string prefix = mca_name(std::string(collective_names[op]));
        if (given.algorithm != unset.algorithm) names.push_back(prefix + "_algorithm");
        if (given.level_algorithms != unset.level_algorithms) names.push_back(prefix + "_level_algorithms");
        if (given.segsize != unset.segsize) names.push_back(prefix + "_segsize");
    }
    return names;
}

}  // namespace strata::component
