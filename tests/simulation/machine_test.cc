// Descriptions of machines: reading, and the messages of errors.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machine.h"
#include "topology/text_file.h"

namespace {

using strata::simulation::Machine;
using strata::simulation::read_machine;
using strata::topology::LevelKind;

const std::string good =
    R"({"name": "m", "title": "t", "source": "s", "job": {"topology": "synthetic:core:2"},
 "links": [{"level": "node", "latency_us": 1, "mbytes_per_s": 1000, "bus_mbytes_per_s": 3000}],
 "eager_bytes": 4096, "overhead_us": 0.5, "combine_mbytes_per_s": 2000})";

Machine read(const std::string& text) {
    const auto path =
        std::filesystem::temp_directory_path() / ("strata-machine-" + std::to_string(getpid()) + ".json");
    std::ofstream(path) << text;
    try {
        Machine machine = read_machine(path);
        std::filesystem::remove(path);
        return machine;
    } catch (...) {
        std::filesystem::remove(path);
        throw;
    }
}

/// Returns the message after the file's name if `to` replaces `from`.
std::string mistake(const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
        read(text);
    } catch (const std::runtime_error& error) {
        const std::string what = error.what();
        return what.substr(what.find(".json") + 5);
    }
    return "none";
}

TEST(MachineFile, IsRead) {
    const Machine machine = read(good);
    EXPECT_EQ(machine.name, "m");
    EXPECT_EQ(machine.at({LevelKind::node, 0}).latency_us, 1);
    EXPECT_EQ(machine.at({LevelKind::node, 0}).bus_mbytes_per_s, 3000);
    EXPECT_EQ(machine.eager_bytes, 4096U);
    EXPECT_EQ(machine.far_receive_mbytes_per_s, 0);
    EXPECT_THROW(machine.at({LevelKind::numa, 0}), std::invalid_argument);
}

TEST(MachineFile, MistakesAreNamed) {
    EXPECT_EQ(
        mistake("\"title\"", "\"tittle\""),
        ": unknown key 'tittle'; known: name, title, source, job, links, "
        "eager_bytes, overhead_us, combine_mbytes_per_s, far_receive_mbytes_per_s, far_path_mbytes_per_s");
    EXPECT_EQ(mistake("\"source\": \"s\", ", ""), ": lacks source");
    EXPECT_EQ(mistake("\"node\"", "\"nodes\"").substr(0, 34), ".links[0]: unknown level 'nodes'; ");
    EXPECT_EQ(mistake("\"latency_us\": 1", "\"latency_us\": -1"),
              ".links[0]: latency_us is no number from 0 up");
    EXPECT_EQ(mistake("\"mbytes_per_s\": 1000", "\"mbytes_per_s\": 0"),
              ".links[0]: mbytes_per_s must be more than 0");
    EXPECT_EQ(mistake("\"latency_us\": 1, ", ""), ".links[0]: lacks latency_us");
    EXPECT_EQ(mistake("\"synthetic:core:2\"", "5"), ".job: topology is no text");
    EXPECT_EQ(mistake("\"topology\"", "\"machine\"").substr(0, 31), ".job: unknown key 'machine'; kn");
    EXPECT_EQ(mistake("[{", "5, \"x\": [{"),
              ": unknown key 'x'; known: name, title, source, job, links, eager_bytes, "
              "overhead_us, combine_mbytes_per_s, far_receive_mbytes_per_s, far_path_mbytes_per_s");
    EXPECT_NE(mistake("{\"name\"", "\"name\"").find("parse"), std::string::npos);
    EXPECT_EQ(mistake("4096", "1e300"), ": eager_bytes is more than 1099511627776");
    EXPECT_NE(mistake("4096", "1e999").find("out_of_range"), std::string::npos);
    EXPECT_EQ(mistake("2000}", "2000}" + std::string(1 << 20, ' ')), ": is longer than 1048576 bytes");
    EXPECT_THROW(read_machine("/dev/zero"), strata::topology::FileError);
}

TEST(MachineFile, NumbersAreReplaced) {
    const auto changed = [](const std::string& text) {
        return strata::simulation::machine_from_text(good, "m.json",
                                                     {strata::simulation::machine_change(text)});
    };
    EXPECT_EQ(changed("overhead_us=2.5").overhead_us, 2.5);
    EXPECT_EQ(changed("far_path_mbytes_per_s=2000").far_path_mbytes_per_s, 2000);
    for (const char* const wrong : {"overhead_us", "=1", "overhead_us=", "overhead_us=fast", "overhead_us=1x",
                                    "overhead_us=1e999", "overhead_us=nan", "overhead_us=inf"})
        EXPECT_THROW(changed(wrong), std::invalid_argument) << wrong;
    EXPECT_THROW(changed("overhead=1"), strata::topology::FileError);
    EXPECT_THROW(changed("overhead_us=-1"), strata::topology::FileError);
}

TEST(MachineFile, AFormerNameIsAccepted) {
    EXPECT_EQ(mistake("combine_mbytes_per_s", "fold_mbytes_per_s"), "none");
    EXPECT_EQ(mistake("\"combine_mbytes_per_s\": 2000", "\"fold_mbytes_per_s\": 0"),
              ": combine_mbytes_per_s must be more than 0");
}

TEST(MachineFile, AllOfTheProjectsAreRead) {
    int machines = 0;
    for (const auto& entry : std::filesystem::directory_iterator(STRATA_MACHINES)) {
        if (entry.path().extension() != ".json") continue;
        const Machine machine = read_machine(entry.path());
        EXPECT_EQ(machine.name, entry.path().stem());
        EXPECT_FALSE(strata::tool::make_job(machine.job).records.empty());
        ++machines;
    }
    EXPECT_GE(machines, 5);
}

}  // namespace
