#include "machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::simulation {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = std::size_t{1} << 40;    // limit of one message
constexpr std::size_t longest_file = std::size_t{1} << 20;  // a description takes some kilobytes

/// One object of the file and its place, for error messages.
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
            fail("unknown key " + topology::quoted_text(key) + "; known: " + known);
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
    std::size_t bytes(const char* key) const {
        const double value = number(key);
        if (value > static_cast<double>(most_bytes)) {
            fail(std::string(key) + " is more than " + std::to_string(most_bytes));
        }
        return static_cast<std::size_t>(value);
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
    [[noreturn]] void fail(const std::string& what) const { throw topology::FileError(place_, 0, what); }

private:
    const json& object_;
    std::string place_;
};

LinkClass read_link(const Reader& reader) {
    reader.allow({"level", "latency_us", "mbytes_per_s", "bus_mbytes_per_s", "source"});
    const auto level = topology::parse_level(reader.text("level"));
    if (!level) {
        reader.fail("unknown level " + topology::quoted_text(reader.text("level")) +
                    "; known: " + topology::known_level_names());
    }
    return {*level, reader.number("latency_us"), reader.positive("mbytes_per_s"),
            reader.number("bus_mbytes_per_s", 0)};
}

/// Parses the job, whose keys are strata-topo's options.
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
                  "combine_mbytes_per_s", "far_receive_mbytes_per_s", "far_path_mbytes_per_s"});
    Machine machine;
    machine.name = reader.text("name");
    machine.title = reader.text("title");
    reader.text("source");  // the author states where the numbers come from
    machine.job = read_job(reader.part("job"));
    const json& links = reader.list("links");
    for (std::size_t i = 0; i < links.size(); ++i) {
        machine.links.push_back(read_link({links[i], file + ".links[" + std::to_string(i) + "]"}));
    }
    machine.eager_bytes = reader.bytes("eager_bytes");
    machine.overhead_us = reader.number("overhead_us");
    machine.combine_mbytes_per_s = reader.positive("combine_mbytes_per_s");
    machine.far_receive_mbytes_per_s = reader.number("far_receive_mbytes_per_s", 0);
    machine.far_path_mbytes_per_s = reader.number("far_path_mbytes_per_s", 0);
    return machine;
}

bool is_number(const char* begin, const char* end, double& value) {
    const auto [rest, error] = std::from_chars(begin, end, value);
    return error == std::errc() && rest == end && std::isfinite(value);
}

}  // namespace

MachineChange machine_change(const std::string& text) {
    const std::size_t at = text.find('=');
    MachineChange change{text.substr(0, at), 0};
    const char* const end = text.data() + text.size();
    if (at == 0 || at == std::string::npos || !is_number(text.data() + at + 1, end, change.value))
        throw std::invalid_argument("--set: '" + text + "' is not NAME=NUMBER");
    return change;
}

Machine machine_from_text(std::string_view text, const std::string& file,
                          const std::vector<MachineChange>& changes) {
    json document;
    try {
        document = json::parse(text);
    } catch (const json::exception& error) {  // a number that is too large throws too
        throw topology::FileError(file, 0, error.what());
    }
    constexpr const char* former = "fold_mbytes_per_s";
    constexpr const char* present = "combine_mbytes_per_s";
    if (document.is_object() && document.contains(former) && !document.contains(present)) {
        document[present] = document[former];
        document.erase(former);
    }
    if (document.is_object()) {
        for (const MachineChange& change : changes) document[change.name] = change.value;
    }
    return read(document, file);
}

Machine read_machine(const std::string& file, const std::vector<MachineChange>& changes) {
    return machine_from_text(topology::read_text_file(file, longest_file), file, changes);
}

}  // namespace strata::simulation
