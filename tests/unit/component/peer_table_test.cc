#include "component/base/peer_table.h"

#include <gtest/gtest.h>

namespace strata::component {
namespace {

topology::LocalityRecord record_of(std::uint32_t process) {
    topology::LocalityRecord record;
    record.node_id = 100 + process / 4;
    record.network_path = {7, process / 8};
    record.hardware_path = {
        {1U << static_cast<int>(topology::LevelKind::package), static_cast<std::uint16_t>(process % 2)}};
    record.nics[0] = {static_cast<std::uint8_t>(process % 3), 1};
    record.processors = topology::ProcessorCount::of(48);
    return record;
}

TEST(PeerTable, GivesBackWhatWasAdded) {
    PeerTable table;
    for (const std::uint32_t process : {9U, 0U, 5U, 4U, 30U}) table.add(process, record_of(process));
    for (const std::uint32_t process : {0U, 4U, 5U, 9U, 30U}) {
        ASSERT_TRUE(table.has(process));
        EXPECT_EQ(table.record(process), record_of(process)) << process;
        EXPECT_EQ(table.node_id(process), 100 + process / 4);
    }
    EXPECT_FALSE(table.has(1));
    EXPECT_FALSE(table.has(31));
    EXPECT_EQ(table.node_id(1), 0U);
}

TEST(PeerTable, TakesTheNewerOfTwo) {
    PeerTable table;
    table.add(3, record_of(3));
    table.add(3, record_of(12));
    EXPECT_EQ(table.record(3), record_of(12));
}

TEST(PeerTable, KeepsLittleForEach) {
    constexpr std::uint32_t processes = 1 << 14;
    PeerTable table;
    table.reserve(processes);
    for (std::uint32_t process = 0; process < processes; ++process) {
        topology::LocalityRecord record = record_of(process);
        record.node_id = process / 64;
        record.network_path = {7, process / 1024};
        table.add(process, record);
    }
    EXPECT_LT(table.memory() / processes, 16U);
}

}  // namespace
}  // namespace strata::component
