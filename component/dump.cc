#include "dump.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "info_keys.h"
#include "messages.h"

namespace strata::component {
namespace {

constexpr const char* notes_key = "coll.strata.notes";

/// What a process said about its node; where it said nothing (its own coll_strata_dump may be empty) what is
/// known here.
topology::NodeNotes notes_of(const opal_process_name_t& process, const Settings& settings,
                             const topology::LocalityRecord& record) {
    std::vector<std::byte> bytes;
    if (compat::lookup(process, notes_key, bytes) == compat::Lookup::found) {
        const auto* text = reinterpret_cast<const char*>(bytes.data());
        if (const auto notes = topology::decode_notes({text, bytes.size()})) {
            return *notes;
        }
    }
    topology::NodeNotes notes;
    const std::string node = compat::node_of(process);
    if (topology::stable_hash(node) == record.node_id) {
        notes.node = node;
    }
    for (const std::uint32_t id : record.network_path) {
        notes.switches.emplace_back(settings.network ? settings.network->switch_name(id) : "");
    }
    return notes;
}

void write_picture(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                   std::span<const topology::LocalityRecord> records) {
    topology::NotesByNode nodes;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const auto [known, isnew] = nodes.try_emplace(records[rank].node_id);
        if (isnew) {
            const auto process = ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank));
            known->second = notes_of(process, settings, records[rank]);
        }
    }
    const auto use = compat::uses_ip() ? topology::CardUse::ip : topology::CardUse::fabric;
    const std::string picture = topology::draw(hierarchy, topology::format_for(settings.dump),
                                               topology::picture_notes(hierarchy, records, nodes, use));
    if (settings.dump == "-") {
        std::fputs(picture.c_str(), stderr);
        return;
    }
    std::ofstream file(settings.dump);
    file << picture;
    file.close();
    if (!file) {
        show_dump_failed(settings.dump, std::strerror(errno));
    }
}

}  // namespace

void publish_notes(const topology::NodeNotes& notes) {
    const std::string text = topology::encode_notes(notes);
    compat::publish(notes_key,
                    std::as_bytes(std::span(text)));  // should it fail, names and cards are missing
}

void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                    std::span<const topology::LocalityRecord> records) {
    static std::atomic<bool> done{false};
    if (settings.dump.empty() || compat::own_name().vpid != 0 || done.exchange(true)) {
        return;
    }
    try {
        write_picture(comm, settings, hierarchy, records);
    } catch (const std::exception& error) {
        show_dump_failed(settings.dump, error.what());  // the other ranks go on, and so must this one
    }
}

namespace {

/// "PATH:LINE", "coll_strata_bcast_segsize"; empty for what nobody fixed.
std::string source_text(const algorithms::Source& source, const std::string& parameter,
                        const std::string& rules_file) {
    switch (source.origin) {
        case algorithms::Origin::model: return {};
        case algorithms::Origin::rules_file: return rules_file + ":" + std::to_string(source.line);
        case algorithms::Origin::parameter: return "coll_strata_" + parameter;
        case algorithms::Origin::info_key: return "info key " + info_key(parameter);
    }
    return {};
}

/// "; engine from FILE:3, segment of node from coll_strata_bcast_segsize"; the rest is built in.
std::string sources_text(const algorithms::Plan& plan, Collective collective, const std::string& rules_file) {
    const std::string op(algorithms::name_of(collective));
    std::string text;
    const auto add = [&](const std::string& what, const algorithms::Source& source, const char* suffix) {
        const std::string from = source_text(source, op + suffix, rules_file);
        if (!from.empty()) {
            text += (text.empty() ? "; " : ", ") + what + " from " + from;
        }
    };
    add("engine", plan.engine_source, "_algorithm");
    if (plan.engine == algorithms::Engine::forward) {
        return text;
    }
    for (std::size_t l = 0; l < plan.sources.size(); ++l) {
        const std::string level = topology::name_of(plan.levels[l].level);
        add("algorithm of " + level, plan.sources[l].method, "_level_algorithms");
        add("segment of " + level, plan.sources[l].segment, "_segsize");
    }
    return text;
}

}  // namespace

std::string describe(const algorithms::Plan& plan, Collective collective, const std::string& rules_file) {
    std::ostringstream text;
    text << algorithms::name_of(plan.engine);
    if (plan.engine != algorithms::Engine::forward) {
        text << " (";
        for (std::size_t i = 0; i < plan.levels.size(); ++i) {
            const auto& level = plan.levels[i];
            text << (i > 0 ? ", " : "") << topology::name_of(level.level) << ' '
                 << algorithms::name_of(level.method) << '/' << level.segment_bytes;
        }
        text << ')';
    }
    if (plan.lanes > 1) {
        text << " in " << plan.lanes << " lanes";
    }
    text << ", predicted " << plan.predicted_us << " us";
    if (plan.forward_us > 0) {
        text << ", forward " << plan.forward_us << " us";
    }
    text << ": " << plan.reason << sources_text(plan, collective, rules_file);
    return text.str();
}

}  // namespace strata::component
