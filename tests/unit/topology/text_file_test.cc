#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "topology/text_file.h"

namespace text_file_test {
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
    EXPECT_EQ(refusal(path, 1), path + ": cannot be opened: No such file or directory");
    EXPECT_EQ(refusal("/dev/zero", 1000), "/dev/zero: is a device");
    EXPECT_EQ(read_text_file("/dev/null"), "");
    EXPECT_EQ(refusal(testing::TempDir(), 1000), testing::TempDir() + ": is a directory");
}

TEST(TextFile, IsNoUnwritablePipe) {
    const std::string path = testing::TempDir() + "strata_text_file_pipe";
    std::remove(path.c_str());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(refusal(path, 1000), path + ": is a named pipe");
    std::remove(path.c_str());
    // A shell's pipes, <(command), end.
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "text", 4), 4);
    close(ends[1]);
    EXPECT_EQ(read_text_file("/dev/fd/" + std::to_string(ends[0])), "text");
    close(ends[0]);
}

}  // namespace
}  // namespace text_file_test
