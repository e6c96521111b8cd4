#include "topology/node_notes.h"

#include "topology/text.h"

// Lines "KEY<tab>FIELD<tab>...": "notes 1" first, then node, switch (topmost first) and NIC lines. A NIC's
// fields: name, near, uses ('1' or '0' by NicUse), path (KINDS:INDEX separated by commas).

namespace strata::topology {
namespace {

constexpr std::string_view first_line = "notes\t1";

std::string printable(std::string_view name) {
    std::string result(name);
    for (char& c : result) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return result;
}

bool read_number(std::string_view digits, std::uint16_t& value) {
    const auto number = whole_number<std::uint16_t>(digits);
    value = number.value_or(0);
    return number.has_value();
}

bool read_path(std::string_view text, std::vector<HardwareObject>& path) {
    if (text.empty()) return true;
    for (const std::string_view entry : split(text, ',')) {
        const std::size_t colon = std::min(entry.find(':'), entry.size());
        HardwareObject object;
        if (!read_number(entry.substr(0, colon), object.kinds) || object.kinds == 0 ||
            colon == entry.size() || !read_number(entry.substr(colon + 1), object.index)) {
            return false;
        }
        path.push_back(object);
    }
    return true;
}

bool read_nic(const std::vector<std::string_view>& fields, NicNote& nic) {
    if (fields.size() != 5 || fields[3].size() != nic_use_count) return false;
    nic.name = fields[1];
    nic.near = fields[2];
    for (std::size_t use = 0; use < nic_use_count; ++use) {
        if (fields[3][use] != '0' && fields[3][use] != '1') return false;
        nic.used[use] = fields[3][use] == '1';
    }
    return read_path(fields[4], nic.near_path);
}

}  // namespace

std::string encode_notes(const NodeNotes& notes) {
    std::string text(first_line);
    text += "\nnode\t" + printable(notes.node);
    for (const std::string& name : notes.switches) text += "\nswitch\t" + printable(name);
    for (const NicNote& nic : notes.nics) {
        text += "\nnic\t" + printable(nic.name) + "\t" + printable(nic.near) + "\t";
        for (const bool used : nic.used) text += used ? '1' : '0';
        text += "\t";
        for (std::size_t i = 0; i < nic.near_path.size(); ++i) {
            const HardwareObject& object = nic.near_path[i];
            text += (i > 0 ? "," : "") + std::to_string(object.kinds) + ":" + std::to_string(object.index);
        }
    }
    return text;
}

std::optional<NodeNotes> decode_notes(std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    if (lines.size() < 2 || lines[0] != first_line) return std::nullopt;
    NodeNotes notes;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string_view> fields = split(lines[i], '\t');
        if ((fields[0] == "node") != (i == 1)) return std::nullopt;
        if (fields[0] == "node" && fields.size() == 2) {
            notes.node = fields[1];
        } else if (fields[0] == "switch" && fields.size() == 2) {
            notes.switches.emplace_back(fields[1]);
        } else if (fields[0] != "nic" || !read_nic(fields, notes.nics.emplace_back())) {
            return std::nullopt;
        }
    }
    // Rejects spellings that encode_notes() does not produce: leading zeros, control characters in
    // names.
    return encode_notes(notes) == text ? std::optional(std::move(notes)) : std::nullopt;
}

}  // namespace strata::topology
