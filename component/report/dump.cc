#include "component/report/dump.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "component/base/dump_file.h"
#include "component/base/process_wide.h"
#include "component/openmpi/messages.h"
#include "component/report/call_usage.h"
#include "topology/default_arithmetic.h"
#include "topology/text.h"

namespace strata::component {
namespace {

constexpr const char* notes_key = "coll.strata.notes";

std::atomic<bool>& dumped() {
    static std::atomic<bool> done{false};
    return done;
}

/// Returns the notes that a process published about its node, else (its own coll_strata_dump may be empty)
/// what this process knows.
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

/// How a dump was written: as the whole file, or appended.
enum class Place : std::uint8_t { none, anew, behind };

/// The dump so far, for complete_dump().
struct Written {
    std::string path;  // absolute: programs change their folder
    std::string picture;
    Place place = Place::none;
};
Written& written() {
    static ProcessWide<Written> one;
    return one.get();
}

/// Returns Place::none after an error, and reports it.
Place write(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fputs(text.c_str(), stderr);
        return Place::behind;
    }
    try {
        return write_dump_file(path, text) ? Place::behind : Place::anew;
    } catch (const std::exception& error) {
        show_dump_failed(path, error.what());
        return Place::none;
    }
}

void write_picture(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                   std::span<const topology::LocalityRecord> records,
                   const std::function<algorithms::PlanListing()>& choices) {
    topology::check_picture_ending(settings.dump);
    topology::NotesByNode nodes;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const auto [known, isnew] = nodes.try_emplace(records[rank].node_id);
        if (isnew) {
            const auto process = ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank));
            known->second = notes_of(process, settings, records[rank]);
        }
    }
    const auto use = compat::uses_ip() ? topology::NicUse::ip : topology::NicUse::fabric;
    const topology::PictureFormat format = topology::format_for(settings.dump);
    topology::PictureNotes notes = topology::picture_notes(hierarchy, records, nodes, use);
    std::string below;
    if (format == topology::PictureFormat::json) {
        const algorithms::PlanListing listing = choices();
        notes.json_members = algorithms::listing_members(listing);
    } else if (format == topology::PictureFormat::text) {
        below = "\n" + algorithms::listing_text(choices());
    }
    std::string picture = topology::draw(hierarchy, format, notes) + below;
    const Place place = write(settings.dump, picture);
    if (place == Place::none) return;  // complete_dump() does nothing then
    const std::string path = settings.dump == "-" ? "-" : std::filesystem::absolute(settings.dump).string();
    written() = {path, std::move(picture), place};
}

}  // namespace

void publish_notes(const topology::NodeNotes& notes) {
    const std::string text = topology::encode_notes(notes);
    // If this fails, the dump lacks names and NICs.
    compat::publish(notes_key, std::as_bytes(std::span(text)));
}

// Spawned jobs inherit the parameters and would overwrite the file.
bool writes_dump(const Settings& settings) {
    return !settings.dump.empty() && compat::own_name().vpid == 0 && !compat::is_spawned();
}

bool reports_usage(const Settings& settings) {
    const topology::PictureFormat format = topology::format_for(settings.dump);
    return writes_dump(settings) &&
           (format == topology::PictureFormat::json || format == topology::PictureFormat::text);
}

bool wants_dump(const Settings& settings) { return writes_dump(settings) && !dumped().load(); }

void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                    std::span<const topology::LocalityRecord> records,
                    const std::function<algorithms::PlanListing()>& choices) {
    if (!wants_dump(settings) || dumped().exchange(true)) {
        return;
    }
    const topology::DefaultArithmetic arithmetic;
    try {
        write_picture(comm, settings, hierarchy, records, choices);
    } catch (const std::exception& error) {
        show_dump_failed(settings.dump, error.what());  // the other ranks go on, so this one must, too
    }
}

void complete_dump() {
    const topology::DefaultArithmetic arithmetic;
    const Written first = std::exchange(written(), {});
    const algorithms::JobUse use = job_usage().take();
    if (first.picture.empty() || use.communicators.empty()) {
        return;
    }
    if (topology::format_for(first.path) == topology::PictureFormat::json) {
        write(first.path, topology::with_members(first.picture, algorithms::usage_members(use)));
    } else {
        const std::string calls =
            "\ncalls of the job, as process 0 recorded them\n\n" + algorithms::usage_text(use);
        write(first.path, first.place == Place::behind ? calls : first.picture + calls);
    }
}

}  // namespace strata::component
