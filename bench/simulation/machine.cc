#include "machine.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>

namespace strata::simulation {
namespace {

using nlohmann::json;

/// One object of the file, and its place in it for messages.
class Reader {
public:
    Reader(const json& object, std::string place) : object_(object), place_(std::move(place)) {
        if (!object.is_object()) fail("is no object");
    }

    void allow(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : object_.items()) {
            if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
            std::string known;
            for (const std::string_view name : keys) known += (known.empty() ? "" : ", ") + std::string(name);
            fail("unknown key '" + key + "'; known: " + known);
        }
    }
    std::string text(const char* key, const std::string& otherwise) const {
        if (!object_.contains(key)) return otherwise;
        if (!object_[key].is_string()) fail(std::string(key) + " is no text");
        return object_[key].get<std::string>();
    }
    std::string text(const char* key) const {
        if (!object_.contains(key)) fail(std::string("lacks ") + key);
        return text(key, "");
    }
    double number(const char* key) const {
        if (!object_.contains(key)) fail(std::string("lacks ") + key);
        if (!object_[key].is_number() || object_[key].get<double>() < 0) {
            fail(std::string(key) + " is no number from 0 up");
        }
        return object_[key].get<double>();
    }
    double number(const char* key, double otherwise) const {
        return object_.contains(key) ? number(key) : otherwise;
    }
    double positive(const char* key) const {
        const double value = number(key);
        if (value <= 0) fail(std::string(key) + " must be more than 0");
        return value;
    }
    const json& list(const char* key) const {
        if (!object_.contains(key) || !object_[key].is_array()) fail(std::string("lacks the list ") + key);
        return object_[key];
    }
    Reader part(const char* key) const {
        if (!object_.contains(key)) fail(std::string("lacks ") + key);
        return {object_[key], place_ + "." + key};
    }
    [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(place_ + ": " + what); }

private:
    const json& object_;
    std::string place_;
};

LinkClass read_link(const Reader& reader) {
    reader.allow({"level", "latency_us", "mbytes_per_s", "bus_mbytes_per_s", "source"});
    const auto level = topology::parse_level(reader.text("level"));
    if (!level) {
        reader.fail("unknown level '" + reader.text("level") + "'; known: " + topology::known_level_names());
    }
    return {*level, reader.number("latency_us"), reader.positive("mbytes_per_s"),
            reader.number("bus_mbytes_per_s", 0)};
}

/// As strata-topo's options of these names.
tool::JobOptions read_job(const Reader& reader) {
    reader.allow({"topology", "nodes", "hosts", "network", "nic"});
    tool::JobOptions job;
    job.topologies = {reader.text("topology")};
    job.nodes = reader.text("nodes", "");
    job.hosts = reader.text("hosts", "");
    job.network = reader.text("network", "");
    job.nic = reader.text("nic", "none");
    return job;
}

Machine read(const json& document, const std::string& file) {
    const Reader reader(document, file);
    reader.allow({"name", "title", "source", "job", "links", "eager_bytes", "overhead_us",
                  "fold_mbytes_per_s", "far_receive_mbytes_per_s"});
    Machine machine;
    machine.name = reader.text("name");
    machine.title = reader.text("title");
    reader.text("source");  // whoever describes a machine says where the numbers come from
    machine.job = read_job(reader.part("job"));
    const json& links = reader.list("links");
    for (std::size_t i = 0; i < links.size(); ++i) {
        machine.links.push_back(read_link({links[i], file + ".links[" + std::to_string(i) + "]"}));
    }
    machine.eager_bytes = static_cast<std::size_t>(reader.number("eager_bytes"));
    machine.overhead_us = reader.number("overhead_us");
    machine.fold_mbytes_per_s = reader.positive("fold_mbytes_per_s");
    machine.far_receive_mbytes_per_s = reader.number("far_receive_mbytes_per_s", 0);
    return machine;
}

}  // namespace

const LinkClass& Machine::at(topology::LevelKey level) const {
    std::string described;
    for (const LinkClass& link : links) {
        if (link.level.matches(level)) return link;
        described += (described.empty() ? "" : ", ") + std::string(topology::name_of(link.level.kind));
    }
    throw std::invalid_argument(name + ": no links of level " + topology::name_of(level) +
                                "; described: " + described);
}

double Machine::narrowest_from(const LinkClass& link) const {
    double narrowest = link.mbytes_per_s;
    for (const LinkClass& inner : std::span(&link, &links.back() + 1)) {
        narrowest = std::min(narrowest, inner.mbytes_per_s);
    }
    return narrowest;
}

algorithms::LinkTable Machine::table(const topology::Hierarchy& hierarchy) const {
    algorithms::LinkTable table;
    for (const topology::Group& group : hierarchy.groups) {
        if (group.members.size() < 2) continue;
        const topology::LevelKey level = link_level(group);
        const LinkClass& link = at(level);
        algorithms::LinkSetting setting;
        setting.latency_us = link.latency_us;
        setting.overhead_us = overhead_us;
        // One transfer alone is no faster than the connections inside the children.
        setting.bytes_per_us = narrowest_from(link);
        setting.parallel = link.mbytes_per_s / *setting.bytes_per_us;
        setting.handshake_us = 0;  // SMPI's take no time
        setting.gap_us = 0;        // cards carry bytes
        setting.offloaded = true;  // processors of SMPI do not copy
        if (link.bus_mbytes_per_s > 0) setting.bus_bytes_per_us = link.bus_mbytes_per_s;
        if (is_network(level.kind) && far_receive_mbytes_per_s > 0)
            setting.far_share = std::max(0.0, *setting.bytes_per_us / far_receive_mbytes_per_s - 1);
        table.set_some({level.kind, level.height}, setting);
    }
    table.set_eager_limits(eager_bytes, eager_bytes);
    table.set_fold(fold_mbytes_per_s);
    return table;
}

Machine read_machine(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + ": cannot be read");
    json document;
    try {
        document = json::parse(stream);
    } catch (const json::parse_error& error) {
        throw std::runtime_error(file + ": " + error.what());
    }
    return read(document, file);
}

}  // namespace strata::simulation
