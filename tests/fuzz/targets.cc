#include "targets.h"

#include <algorithm>
#include <array>

#include "parsers.h"
#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::fuzz {
namespace {

constexpr std::array<Target, 25> table{{{"topology_conf", Throws::file_error, topology_conf},
                                        {"network_hosts", Throws::invalid_argument, network_hosts},
                                        {"slurm_switches", Throws::nothing, slurm_switches},
                                        {"host_list", Throws::invalid_argument, host_list},
                                        {"hierarchy_hint", Throws::invalid_argument, hierarchy_hint},
                                        {"placement", Throws::invalid_argument, placement},
                                        {"nics", Throws::invalid_argument, nics},
                                        {"synthetic_machine", Throws::invalid_argument, synthetic_machine},
                                        {"machine_xml", Throws::invalid_argument, machine_xml},
                                        {"network_source", Throws::invalid_argument, network_source},
                                        {"locality_record", Throws::nothing, locality_record},
                                        {"node_notes", Throws::nothing, node_notes},
                                        {"hierarchy", Throws::invalid_argument, hierarchy},
                                        {"rules", Throws::file_error, rules},
                                        {"level_methods", Throws::invalid_argument, level_methods},
                                        {"level_sizes", Throws::invalid_argument, level_sizes},
                                        {"hierarchy_dump", Throws::file_error, hierarchy_dump},
                                        {"usage", Throws::file_error, usage},
                                        {"published_data", Throws::nothing, published_data},
                                        {"settings", Throws::nothing, settings},
                                        {"info_keys", Throws::nothing, info_keys},
                                        {"interfaces", Throws::nothing, interfaces},
                                        {"traffic", Throws::file_error, traffic},
                                        {"traffic_profile", Throws::file_error, traffic_profile},
                                        {"simulated_machine", Throws::file_error, simulated_machine}}};

}  // namespace

std::span<const Target> all_targets() { return table; }

const Target* find_target(std::string_view name) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Target& target) { return target.name == name; });
    return found == table.end() ? nullptr : &*found;
}

void run(const Target& target, std::string_view input) {
    try {
        target.parse(input);
    } catch (const std::invalid_argument&) {
        if (target.throws != Throws::invalid_argument) throw;
    } catch (const topology::FileError&) {
        if (target.throws != Throws::file_error) throw;
    }
}

std::string complaint(const Target& target, std::string_view input) {
    try {
        run(target, input);
    } catch (const std::exception& error) {
        return std::string(target.name) + ": " + error.what();
    } catch (...) {
        return std::string(target.name) + ": throws something other than a std::exception";
    }
    return {};
}

std::vector<std::string> fields(std::string_view input, std::size_t least) {
    std::vector<std::string> texts;
    for (const std::string_view text : topology::split(input, '\0')) texts.emplace_back(text);
    texts.resize(std::max(texts.size(), least));
    return texts;
}

}  // namespace strata::fuzz
