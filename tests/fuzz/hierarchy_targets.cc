#include <algorithm>
#include <cstddef>

#include "parsers.h"
#include "targets.h"
#include "topology/nic_rails.h"
#include "topology/contradiction.h"
#include "topology/hierarchy.h"
#include "topology/node_notes.h"
#include "topology/picture.h"

namespace strata::fuzz {
namespace {

using topology::LevelKind;
using topology::LocalityRecord;

constexpr std::size_t most_ranks = 64;

std::uint16_t kind_bit(LevelKind kind) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind));
}

/// Makes records from few bytes, so that most inputs are valid; after the end all bytes are 0.
class Records {
public:
    explicit Records(std::string_view input) : input_(input) {}

    std::vector<LocalityRecord> all() {
        std::vector<LocalityRecord> records;
        while (!input_.empty() && records.size() < most_ranks) records.push_back(one());
        return records;
    }

private:
    std::uint8_t byte() {
        if (input_.empty()) return 0;
        const auto value = static_cast<std::uint8_t>(input_.front());
        input_.remove_prefix(1);
        return value;
    }

    /// Input: node; numbers of switches (7: the next byte has it) and objects; NICs; processors; then
    /// these.
    LocalityRecord one() {
        LocalityRecord record;
        record.node_id = byte();
        const std::uint8_t counts = byte();
        for (auto& near : record.nics) {
            const std::uint8_t both = byte();
            near = {static_cast<std::uint8_t>(both & 15), static_cast<std::uint8_t>(both >> 4)};
        }
        record.processors.code = byte();
        const unsigned switches = (counts & 7U) == 7 ? byte() : counts & 7U;
        std::uint8_t id = 0;
        for (unsigned i = 0; i < switches; ++i) {
            id = input_.empty() ? static_cast<std::uint8_t>(id + 1) : byte();
            record.network_path.push_back(id);
        }
        for (unsigned i = 0; i < counts >> 3; ++i) {
            topology::HardwareObject object;
            object.kinds = static_cast<std::uint16_t>(byte() << static_cast<unsigned>(LevelKind::package));
            object.index = byte();
            if (object.kinds == 0 || object.index >= 128) object.kinds |= kind_bit(LevelKind::pu);
            record.hardware_path.push_back(object);
        }
        return record;
    }

    std::string_view input_;
};

/// As a process publishes it and another one reads it.
LocalityRecord received(const LocalityRecord& sent) {
    LocalityRecord record;
    require(topology::decode(topology::encode(sent), record) && record == sent, "a record is read as sent");
    return record;
}

void check_hierarchy(const std::vector<LocalityRecord>& records, const topology::HierarchySpec& spec) {
    const topology::Hierarchy hierarchy = topology::build_hierarchy(records, spec);
    const std::string broken = topology::validate(hierarchy);
    require(broken.empty(), broken);
    require(hierarchy.ranks() == static_cast<int>(records.size()), "every record has a rank");
    for (const topology::Hierarchy& tree : topology::nic_rails(hierarchy, records, spec.election).trees) {
        const std::string wrong = topology::validate(tree);
        require(wrong.empty(), wrong + " (a rail's tree)");
    }
    for (int group = 0; group < static_cast<int>(hierarchy.groups.size()); ++group) {
        require(!topology::nic_leaders(hierarchy, records, group, spec.election).empty(),
                "a group has leaders");
    }
    topology::find_contradiction(records);
    check_pictures(hierarchy);
}

/// Two ranks per package.
std::vector<LocalityRecord> small_records() {
    std::vector<LocalityRecord> records;
    for (std::uint16_t rank = 0; rank < 16; ++rank) {
        LocalityRecord record;
        record.node_id = rank / 4;
        record.network_path = {7, rank / 8U};
        record.hardware_path = {{kind_bit(LevelKind::package), static_cast<std::uint16_t>(rank / 2 % 2)},
                                {kind_bit(LevelKind::core), static_cast<std::uint16_t>(rank % 4)}};
        record.nics[0] = {static_cast<std::uint8_t>(rank / 2 % 2), 0};
        record.processors.code = 4;
        records.push_back(record);
    }
    return records;
}

}  // namespace

const topology::Hierarchy& small_job() {
    static const topology::Hierarchy job = topology::build_hierarchy(small_records());
    return job;
}

void locality_record(std::string_view input) {
    const auto bytes = std::as_bytes(std::span(input));
    topology::RecordPrefix prefix;
    LocalityRecord record;
    std::string why;
    const bool is_record = topology::decode_prefix(bytes, prefix);
    if (!topology::decode(bytes, record, &why)) {
        require(!why.empty(), "the message names the error");
        require(record == LocalityRecord(), "a record that cannot be read is left alone");
        return;
    }
    require(is_record, "a record has a prefix");
    require(prefix.plugin_version == record.plugin_version && prefix.settings_hash == record.settings_hash,
            "the prefix is that of the record");
    const auto again = topology::encode(record);
    require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "a record has one encoding");
    const auto count = record.processors.count();
    require(topology::ProcessorCount::of(count) == record.processors, "a number of processors has one code");
    check_hierarchy({record, LocalityRecord(), record}, {});
}

void node_notes(std::string_view input) {
    const auto notes = topology::decode_notes(input);
    if (!notes) return;
    require(topology::encode_notes(*notes) == input, "notes are read only as they are written");
    const auto records = small_records();
    const topology::NotesByNode nodes{{1, *notes}, {2, *notes}};
    for (const auto use : {topology::NicUse::fabric, topology::NicUse::ip}) {
        const auto shown = topology::picture_notes(small_job(), records, nodes, use);
        for (const topology::NicMark& mark : shown.nics) {
            require(mark.group >= 0 && mark.group < static_cast<int>(small_job().groups.size()),
                    "a NIC is drawn in a group");
        }
        using enum topology::PictureFormat;
        for (const auto format : {text, json, dot, svg}) topology::draw(small_job(), format, shown);
    }
}

/// Input: a hint (empty: none), NUL, the leader rule, and records.
void hierarchy(std::string_view input) {
    const std::string_view hint = input.substr(0, input.find('\0'));
    input.remove_prefix(std::min(hint.size() + 1, input.size()));
    if (input.empty()) return;
    const auto how = static_cast<std::uint8_t>(input.front());
    topology::HierarchySpec spec;
    if (!hint.empty()) spec.hint = topology::parse_hierarchy_hint(hint);
    spec.election = {(how & 1) != 0 ? topology::NicUse::ip : topology::NicUse::fabric, (how & 2) == 0,
                     (how & 4) != 0, how};
    must_not_throw([&] {
        std::vector<LocalityRecord> records;
        for (const LocalityRecord& record : Records(input.substr(1)).all())
            records.push_back(received(record));
        if (!records.empty()) check_hierarchy(records, spec);
    });
}

}  // namespace strata::fuzz
