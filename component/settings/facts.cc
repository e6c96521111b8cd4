#include "component/settings/facts.h"

#include <algorithm>
#include <map>

#include "topology/text.h"

namespace strata::component {
namespace {

constexpr std::size_t longest_value = 200;
constexpr std::size_t longest_published = 2048;

/// Returns `text` without line and column separators.
std::string plain(std::string text) {
    std::ranges::replace_if(
        text, [](char letter) { return letter == '\n' || letter == '\t'; }, ' ');
    return text.substr(0, longest_value);
}

/// A fact whose content is compared, not its name: a file, for example.
Fact by_content(const char* name, std::uint64_t content, const std::string& value) {
    if (content == 0) return {mca_name(name), "", value.empty() ? "" : value + " (unusable: see below)"};
    const std::string number = std::to_string(content);
    return {mca_name(name), number, value + " (content " + number + ')'};
}

const Facts& defaults() {
    static const Facts all = agreement_facts({}, {}, {}, {65536, 4096});
    return all;
}

using Shown = std::map<std::string, std::pair<std::string, std::string>, std::less<>>;  // compared, shown

Shown read(std::string_view published) {
    Shown facts;
    for (const Fact& fact : defaults()) {
        facts[fact.name] = {fact.compared,
                            (fact.compared.empty() ? "nothing" : fact.compared) + " (the default)"};
    }
    for (const std::string_view line : topology::split(published, '\n')) {
        const auto columns = topology::split(line, '\t');
        if (columns.size() == 3) {
            const std::string_view shown = columns[2].empty() ? columns[1] : columns[2];
            facts[std::string(columns[0])] = {std::string(columns[1]),
                                              shown.empty() ? "nothing" : std::string(shown)};
        }
    }
    return facts;
}

}  // namespace

Facts agreement_facts(const SettingsText& text, const Settings& settings,
                      const std::vector<std::string>& errors, const Surroundings& surroundings) {
    // Values are compared as written, together with the parse errors: a value that only one node gets wrong
    // is a difference. Files are compared by content, not by path. The synthetic topology and the NIC names
    // may differ between nodes; their effect is part of the records.
    Facts facts;
    const auto add = [&](const std::string& name, const std::string& value) {
        facts.push_back({name, value});
    };
    const auto flag = [&](const std::string& name, bool value) { add(name, value ? "1" : "0"); };
    add(mca_name("priority"), text.priority);
    add(mca_name("window"), text.window);
    add(mca_name("hierarchy"), text.hierarchy);
    add(mca_name("disable"), text.disable);
    facts.push_back({mca_name("nic"), settings.nic_local ? "auto" : "none", text.nic});
    flag(mca_name("reproducible"), settings.reproducible);
    flag(mca_name("check_plans"), settings.check_plans);
    add(mca_name("shared_memory"), text.shared_memory);
    add(mca_name("setup_after"), std::to_string(settings.setup_after));
    facts.push_back(by_content("rules", settings.rules_hash, text.rules));
    facts.push_back(settings.network ? by_content("network", settings.network->hash(), text.network)
                                     : Fact{mca_name("network"), text.network});
    for (std::size_t op = 0; op < text.collectives.size(); ++op) {
        const std::string name = mca_name(std::string(collective_names[op]));
        add(name + "_algorithm", text.collectives[op].algorithm);
        add(name + "_level_algorithms", text.collectives[op].level_algorithms);
        add(name + "_segsize", text.collectives[op].segsize);
    }
    flag("han has its default settings", surroundings.han_is_default);
    flag("survives process failures (mpi_ft_enable)", surroundings.survives_failures);
    flag("supports GPU buffers", surroundings.gpu_buffers);
    add("eager limit of TCP (btl_tcp_eager_limit)", std::to_string(surroundings.network_eager_bytes));
    add("eager limit of shared memory (btl_vader_eager_limit, btl_sm_eager_limit)",
        std::to_string(surroundings.node_eager_bytes));
    add("architecture", std::to_string(surroundings.architecture));
    add("transport", surroundings.transport);
    std::string wrong;
    for (const auto& error : errors) {
        wrong += (wrong.empty() ? "" : "; ") + error;
    }
    add("values that are unusable", wrong);
    return facts;
}

std::uint64_t hash_of(const Facts& facts) {
    std::string all;
    for (const Fact& fact : facts) {
        all += fact.compared + '|';
    }
    return topology::stable_hash(all);
}

std::uint64_t agreement_hash(const SettingsText& text, const Settings& settings,
                             const std::vector<std::string>& errors, const Surroundings& surroundings) {
    return hash_of(agreement_facts(text, settings, errors, surroundings));
}

std::string write_facts(const Facts& facts) {
    std::string text;
    for (const Fact& fact : facts) {
        const auto usual_one = std::ranges::find(defaults(), fact.name, &Fact::name);
        const bool usual = usual_one != defaults().end() && usual_one->compared == fact.compared;
        if (usual && (fact.shown.empty() || !fact.compared.empty())) continue;
        const std::string line = fact.name + '\t' + plain(fact.compared) + '\t' + plain(fact.shown) + '\n';
        if (text.size() + line.size() > longest_published) break;
        text += line;
    }
    return text;
}

std::string list_differences(std::string_view own, std::string_view other, const std::string& own_process,
                             const std::string& other_process) {
    Shown mine = read(own);
    Shown theirs = read(other);
    const std::pair<std::string, std::string> nothing{"", "nothing"};
    for (const auto& [name, value] : mine) theirs.try_emplace(name, nothing);
    for (const auto& [name, value] : theirs) mine.try_emplace(name, nothing);
    std::string lines;
    for (const auto& [name, value] : theirs) {
        const auto& here = mine.at(name);
        if (value.first == here.first) continue;
        lines += "  " + name + ":\n    " + value.second + "  in " + other_process + "\n    " + here.second +
                 "  in " + own_process + '\n';
    }
    return lines;
}

std::string_view value_of(std::string_view published, std::string_view name) {
    for (const std::string_view line : topology::split(published, '\n')) {
        const auto columns = topology::split(line, '\t');
        if (columns.size() == 3 && columns[0] == name) return columns[1];
    }
    return {};
}

}  // namespace strata::component
