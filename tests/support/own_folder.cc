#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

/// Gives the process its own folder as TempDir(): tests run side by side, and some use the same file names.
class OwnFolder : public ::testing::Environment {
public:
    void SetUp() override {
        path_ = (std::filesystem::temp_directory_path() / "strata-test.XXXXXX").string();
        ASSERT_NE(mkdtemp(path_.data()), nullptr) << path_;
        ASSERT_EQ(setenv("TEST_TMPDIR", path_.c_str(), 1), 0);
    }
    void TearDown() override { std::filesystem::remove_all(path_); }

private:
    std::string path_;
};

const auto* const own_folder = ::testing::AddGlobalTestEnvironment(new OwnFolder);

}  // namespace
