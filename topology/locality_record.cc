#include "topology/locality_record.h"

#include <stdexcept>
#include <utility>

#include "topology/kinds.h"

// Layout, little-endian. The first 14 bytes never change; the rest belongs to the format version.
//   0  magic             1  format          2  plugin version (4)   6  settings hash (8)
//  14  node id (8)      22  2 x { NIC (high 4 bits), distance (low 4 bits) }: fabric, IP
//  24  switches (S)     25  objects (H)         26  processors of the node (ProcessorCount)
//  27  S x switch id (4), H x { kinds package..core (1), index (2) }, then one bit per object: is a pu
// The ninth kind (pu) has separate bits, because four bytes per object would exceed 64 bytes per record.

namespace strata::topology {
namespace {

constexpr std::byte magic{0x53};
constexpr std::size_t prefix_bytes = 14;
constexpr std::size_t fixed_bytes = 27;
constexpr unsigned kind_shift = static_cast<unsigned>(LevelKind::package);
constexpr std::size_t most_entries = 255;
constexpr std::uint8_t most_nics = 15;

class Writer {
public:
    template <typename T>
    void put(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    void put(std::byte value) { bytes_.push_back(value); }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads in order; the caller checks the length.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <typename T>
    T get() {
        T value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(bytes_[at_++]) << (8 * i)));
        }
        return value;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

std::size_t size_of_record(std::size_t switches, std::size_t objects) {
    return fixed_bytes + 4 * switches + 3 * objects + (objects + 7) / 8;
}

bool fail(std::string* why, std::string reason) {
    if (why != nullptr) *why = std::move(reason);
    return false;
}

bool decode_objects(Reader& reader, std::size_t count, std::vector<HardwareObject>& out, std::string* why) {
    out.resize(count);
    for (HardwareObject& object : out) {
        object.kinds = static_cast<std::uint16_t>(reader.get<std::uint8_t>() << kind_shift);
        object.index = reader.get<std::uint16_t>();
    }
    for (std::size_t base = 0; base < count; base += 8) {
        const auto bits = reader.get<std::uint8_t>();
        for (std::size_t i = 0; i < 8; ++i) {
            if (((bits >> i) & 1U) == 0) continue;
            if (base + i >= count) return fail(why, "a kind bit is set after the last hardware object");
            out[base + i].kinds |= bit_of(LevelKind::pu);
        }
    }
    for (const HardwareObject& object : out) {
        if (object.kinds == 0) return fail(why, "a hardware object has no kind");
    }
    return true;
}

}  // namespace

// Format: five bits of fraction, three of exponent: code m below 32, else (32 + m) << (e - 1).
ProcessorCount ProcessorCount::of(int count) {
    if (count < 0) return {};
    auto rest = static_cast<unsigned>(count);
    unsigned exponent = 0;
    while (rest >= 64) {
        rest = (rest + 1) / 2;
        ++exponent;
    }
    if (rest >= 32) {
        rest -= 32;
        ++exponent;
    }
    if (exponent > 7) return {};
    return {static_cast<std::uint8_t>(exponent << 5 | rest)};
}

int ProcessorCount::count() const {
    const int exponent = code >> 5;
    const int fraction = code & 31;
    return exponent == 0 ? fraction : (32 + fraction) << (exponent - 1);
}

LevelKind HardwareObject::kind() const { return kinds == 0 ? LevelKind::pu : lowest_kind(kinds); }

std::vector<std::byte> encode(const LocalityRecord& record) {
    if (record.network_path.size() > most_entries || record.hardware_path.size() > most_entries) {
        throw std::invalid_argument("locality record: more than 255 switches or hardware objects");
    }
    Writer writer;
    writer.put(magic);
    writer.put(record_format);
    writer.put(record.plugin_version);
    writer.put(record.settings_hash);
    writer.put(record.node_id);
    for (const NicDistance& near : record.nics) {
        if (near.distance > unknown_distance || near.nic > most_nics) {
            throw std::invalid_argument("locality record: NIC distances and numbers end at 15");
        }
        writer.put(static_cast<std::uint8_t>(near.nic << 4 | near.distance));
    }
    writer.put(static_cast<std::uint8_t>(record.network_path.size()));
    writer.put(static_cast<std::uint8_t>(record.hardware_path.size()));
    writer.put(record.processors.code);
    for (const std::uint32_t id : record.network_path) writer.put(id);
    for (const HardwareObject& object : record.hardware_path) {
        if (object.kinds == 0 || (object.kinds & ~hardware_kinds) != 0) {
            throw std::invalid_argument("locality record: a hardware object needs kinds from package to pu");
        }
        writer.put(static_cast<std::uint8_t>(object.kinds >> kind_shift));
        writer.put(object.index);
    }
    for (std::size_t base = 0; base < record.hardware_path.size(); base += 8) {
        std::uint8_t bits = 0;
        for (std::size_t i = 0; i < 8 && base + i < record.hardware_path.size(); ++i) {
            if (record.hardware_path[base + i].has(LevelKind::pu)) bits |= static_cast<std::uint8_t>(1U << i);
        }
        writer.put(bits);
    }
    return writer.take();
}

bool decode_prefix(std::span<const std::byte> bytes, RecordPrefix& out) {
    if (bytes.size() < prefix_bytes || bytes[0] != magic) return false;
    Reader reader(bytes.subspan(1));
    out.format = reader.get<std::uint8_t>();
    out.plugin_version = reader.get<std::uint32_t>();
    out.settings_hash = reader.get<std::uint64_t>();
    return out.format != 0;
}

bool decode(std::span<const std::byte> bytes, LocalityRecord& out, std::string* why) {
    RecordPrefix prefix;
    if (!decode_prefix(bytes, prefix)) return fail(why, "not a locality record");
    if (prefix.format != record_format) {
        return fail(why, "record format " + std::to_string(prefix.format) + ", this release reads " +
                             std::to_string(record_format));
    }
    if (bytes.size() < fixed_bytes)
        return fail(why, "record cut after " + std::to_string(bytes.size()) + " bytes");
    LocalityRecord record;
    record.plugin_version = prefix.plugin_version;
    record.settings_hash = prefix.settings_hash;
    Reader reader(bytes.subspan(prefix_bytes));
    record.node_id = reader.get<std::uint64_t>();
    for (NicDistance& near : record.nics) {
        const auto both = reader.get<std::uint8_t>();
        near = {static_cast<std::uint8_t>(both & 15U), static_cast<std::uint8_t>(both >> 4)};
    }
    const std::size_t switches = reader.get<std::uint8_t>();
    const std::size_t objects = reader.get<std::uint8_t>();
    record.processors.code = reader.get<std::uint8_t>();
    const std::size_t expected = size_of_record(switches, objects);
    if (bytes.size() != expected) {
        return fail(why, "record of " + std::to_string(bytes.size()) + " bytes, its counts require " +
                             std::to_string(expected));
    }
    for (std::size_t i = 0; i < switches; ++i) record.network_path.push_back(reader.get<std::uint32_t>());
    if (!decode_objects(reader, objects, record.hardware_path, why)) return false;
    out = std::move(record);
    return true;
}

std::uint64_t stable_hash(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = seed;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

}  // namespace strata::topology
