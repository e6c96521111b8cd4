#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "strata/topology/text_file.h"

namespace {

using strata::topology::FileError;
using strata::topology::read_text_file;

std::string refusal(const std::string& path, std::size_t most_bytes) {
    try {
        read_text_file(path, most_bytes);
    } catch (const FileError& error) {
        return error.what();
    }
    return "read";
}

TEST(TextFile, IsReadWholeUpToALimit) {
    const std::string path = testing::TempDir() + "strata_text_file";
    const std::string text = std::string(100000, 'x') + '\0' + "\r\n";
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(read_text_file(path), text);
    EXPECT_EQ(refusal(path, text.size()), "read");
    EXPECT_EQ(refusal(path, text.size() - 1), path + ": is longer than 100002 bytes");
    std::remove(path.c_str());
    EXPECT_EQ(refusal(path, 1), path + ": cannot be opened");
    EXPECT_EQ(refusal("/dev/zero", 1000), "/dev/zero: is longer than 1000 bytes");
}

}  // namespace
