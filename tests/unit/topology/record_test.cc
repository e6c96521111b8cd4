#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "topology/locality_record.h"

namespace strata::topology::record_test {
namespace {

constexpr std::uint16_t kind(LevelKind k) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(k));
}

LocalityRecord random_record(std::mt19937& random, std::size_t switches, std::size_t objects) {
    LocalityRecord record;
    record.plugin_version = static_cast<std::uint32_t>(random());
    record.settings_hash = (std::uint64_t{random()} << 32) | random();
    record.node_id = (std::uint64_t{random()} << 32) | random();
    for (std::size_t i = 0; i < switches; ++i)
        record.network_path.push_back(static_cast<std::uint32_t>(random()));
    for (std::size_t i = 0; i < objects; ++i) {
        const auto kinds = static_cast<std::uint16_t>((1 + random() % 511) << 3);
        record.hardware_path.push_back({kinds, static_cast<std::uint16_t>(random())});
    }
    for (NicDistance& near : record.nics) {
        near = {static_cast<std::uint8_t>(random() % 16), static_cast<std::uint8_t>(random() % 16)};
    }
    record.processors.code = static_cast<std::uint8_t>(random());
    return record;
}

TEST(Record, KindIsTheLowestButCoreRatherThanPu) {
    EXPECT_EQ(
        (HardwareObject{kind(LevelKind::package) | kind(LevelKind::numa) | kind(LevelKind::l3), 0}.kind()),
        LevelKind::l3);
    EXPECT_EQ((HardwareObject{kind(LevelKind::l1) | kind(LevelKind::core) | kind(LevelKind::pu), 0}.kind()),
              LevelKind::core);
    EXPECT_EQ((HardwareObject{kind(LevelKind::pu), 0}.kind()), LevelKind::pu);
}

TEST(Record, RoundTrip) {
    std::mt19937 random(1);
    for (std::size_t switches = 0; switches < 6; ++switches) {
        for (std::size_t objects = 0; objects < 20; ++objects) {
            const LocalityRecord record = random_record(random, switches, objects);
            LocalityRecord read;
            std::string why;
            ASSERT_TRUE(decode(encode(record), read, &why)) << why;
            EXPECT_EQ(read, record);
        }
    }
}

TEST(Record, SizeKeepsItsPromise) {
    std::mt19937 random(2);
    EXPECT_LE(encode(random_record(random, 3, 8)).size(), 64U);
    for (std::size_t more = 1; more < 10; ++more) {
        EXPECT_LE(encode(random_record(random, 3 + more, 8)).size(), 64 + 4 * more);
        EXPECT_LE(encode(random_record(random, 3, 8 + more)).size(), 64 + 4 * more);
    }
}

TEST(Record, BytesAreFixed) {
    LocalityRecord record{0x010203, 0x1122334455667788, 0x99aabbccddeeff00,    {7},
                          {},       {{{2, 1}, {5, 3}}}, ProcessorCount::of(96)};
    record.hardware_path = {{kind(LevelKind::package), 1},
                            {kind(LevelKind::core) | kind(LevelKind::pu), 0x0203}};
    const std::vector<int> expected = {0x53, 3,    3,    2,    1,    0,    0x88, 0x77, 0x66, 0x55,
                                       0x44, 0x33, 0x22, 0x11, 0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb,
                                       0xaa, 0x99, 0x12, 0x35, 1,    2,    0x50, 7,    0,    0,
                                       0,    1,    1,    0,    0x80, 3,    2,    2};
    std::vector<int> bytes;
    for (const std::byte b : encode(record)) bytes.push_back(std::to_integer<int>(b));
    EXPECT_EQ(bytes, expected);
}

TEST(Record, ProcessorsAreCountedInOneByte) {
    for (int count = 1; count <= 4032; ++count) {
        const int told = ProcessorCount::of(count).count();
        EXPECT_GE(told, count);  // otherwise a node with a processor for every rank would look oversubscribed
        EXPECT_LT(told - count, count / 30.0) << count;
        EXPECT_TRUE(count >= 64 || told == count) << count;
    }
    for (const int common : {96, 112, 128, 144, 192, 224, 256, 288, 384, 512}) {
        EXPECT_EQ(ProcessorCount::of(common).count(), common);
    }
    for (const int unknown : {-1, 0, 4033, 1 << 20, 2147483647}) {
        EXPECT_EQ(ProcessorCount::of(unknown).count(), 0) << unknown;
    }
    for (int code = 0; code < 256; ++code) {
        const ProcessorCount count{static_cast<std::uint8_t>(code)};
        EXPECT_EQ(ProcessorCount::of(count.count()), count) << code;
    }
}

TEST(Record, EveryTruncationAndExtensionIsRefused) {
    std::mt19937 random(3);
    std::vector<std::byte> bytes = encode(random_record(random, 2, 9));
    LocalityRecord read;
    const LocalityRecord untouched = read;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::string why;
        EXPECT_FALSE(decode(std::span(bytes).first(length), read, &why)) << length;
        EXPECT_FALSE(why.empty());
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(bytes, read));
    EXPECT_EQ(read, untouched);
}

TEST(Record, GarbageIsRefused) {
    std::mt19937 random(4);
    LocalityRecord read;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::byte> bytes(random() % 80);
        for (std::byte& b : bytes) b = static_cast<std::byte>(random());
        if (bytes.size() > 1 && round % 2 == 0) {  // a plausible start must not help
            bytes[0] = std::byte{0x53};
            bytes[1] = static_cast<std::byte>(2 + random() % 250);
        } else if (!bytes.empty() && bytes[0] == std::byte{0x53}) {
            bytes[0] = std::byte{0};
        }
        EXPECT_FALSE(decode(bytes, read));
    }
}

TEST(Record, BrokenObjectsAreRefused) {
    LocalityRecord record;
    record.hardware_path = {{kind(LevelKind::core), 3}};
    std::vector<std::byte> bytes = encode(record);
    LocalityRecord read;
    std::string why;
    bytes.back() = std::byte{2};  // a bit for a second object that is not there
    EXPECT_FALSE(decode(bytes, read, &why));
    EXPECT_NE(why.find("after the last"), std::string::npos) << why;
    bytes.back() = std::byte{0};
    bytes[27] = std::byte{0};
    EXPECT_FALSE(decode(bytes, read, &why));
    EXPECT_NE(why.find("no kind"), std::string::npos) << why;
}

TEST(Record, WhatCannotBeEncodedIsRefused) {
    LocalityRecord record;
    record.hardware_path = {{kind(LevelKind::node), 3}};
    EXPECT_THROW(encode(record), std::invalid_argument);
    record.hardware_path = {{0, 3}};
    EXPECT_THROW(encode(record), std::invalid_argument);
    record.hardware_path.clear();
    record.network_path.resize(256);
    EXPECT_THROW(encode(record), std::invalid_argument);
}

TEST(Record, PrefixOfOtherFormatsIsReadable) {
    std::mt19937 random(5);
    const LocalityRecord record = random_record(random, 1, 3);
    std::vector<std::byte> bytes = encode(record);
    bytes[1] = std::byte{9};
    bytes.resize(20);  // for any content of a later format after its prefix
    RecordPrefix prefix;
    ASSERT_TRUE(decode_prefix(bytes, prefix));
    EXPECT_EQ(prefix.format, 9);
    EXPECT_EQ(prefix.plugin_version, record.plugin_version);
    EXPECT_EQ(prefix.settings_hash, record.settings_hash);
    LocalityRecord read;
    std::string why;
    EXPECT_FALSE(decode(bytes, read, &why));
    EXPECT_NE(why.find("format 9"), std::string::npos) << why;
    EXPECT_FALSE(decode_prefix(std::span(bytes).first(13), prefix));
    bytes[0] = std::byte{0};
    EXPECT_FALSE(decode_prefix(bytes, prefix));
}

TEST(Record, HashIsFnv1a) {
    EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325ULL);
    EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cULL);
    EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8ULL);
    EXPECT_EQ(stable_hash("bar", stable_hash("foo")), stable_hash("foobar"));
}

}  // namespace
}  // namespace strata::topology::record_test
