// The targets that a dump accepts, in folders like /tmp, independent of the kernel's own protection.
#include "component/base/dump_file.h"

#include <fcntl.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "topology/text_file.h"

namespace strata::component {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody = 65533;
constexpr uid_t another = 65534;

std::string refusal(const fs::path& path, std::string_view text = "new") {
    try {
        write_dump_file(path, text, std::chrono::milliseconds(200));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

void expect_text(const fs::path& path, const std::string& wanted) {
    EXPECT_EQ(topology::read_text_file(path), wanted) << path;
}

class DumpFile : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::path(testing::TempDir()) / ("strata_dump_file_" + std::to_string(getpid()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    fs::path old_file(const std::string& name) const {
        std::ofstream(folder / name) << "what was there";
        return folder / name;
    }
    fs::path folder;
};

TEST_F(DumpFile, IsMadeOrEmptied) {
    EXPECT_EQ(refusal(folder / "new"), "");
    expect_text(folder / "new", "new");
    EXPECT_EQ(refusal(old_file("old")), "");
    expect_text(folder / "old", "new");
    EXPECT_EQ(refusal("/dev/null"), "");
}

TEST_F(DumpFile, FollowsLinksOfItsUser) {
    fs::create_symlink("old", folder / "link");
    fs::create_symlink(folder / "link", folder / "link_to_link");
    EXPECT_EQ(refusal(folder / "link_to_link", "1"), "");  // where nothing is yet
    expect_text(folder / "old", "1");
    EXPECT_EQ(refusal(folder / "link", "2"), "");
    expect_text(folder / "old", "2");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    fs::create_symlink("loop", folder / "loop");
    EXPECT_EQ(refusal(folder / "loop"), "Too many levels of symbolic links");
}

/// Like coll_strata_dump=/dev/stdout with the output in a file.
TEST_F(DumpFile, StandsBetweenWhatAProcessWrites) {
    const fs::path output = folder / "output";
    const int number = open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string name = "/proc/self/fd/" + std::to_string(number);
    fs::create_symlink(name, folder / "link");
    EXPECT_EQ(write(number, "1", 1), 1);
    EXPECT_TRUE(write_dump_file(name, "2"));
    EXPECT_EQ(write(number, "3", 1), 1);
    EXPECT_TRUE(write_dump_file(folder / "link", "4"));
    EXPECT_EQ(write(number, "5", 1), 1);
    close(number);
    expect_text(output, "12345");
    EXPECT_FALSE(write_dump_file(output, "anew"));
    expect_text(output, "anew");
    EXPECT_EQ(refusal(name), "No such file or directory");
}

TEST_F(DumpFile, ReportsTheReason) {
    EXPECT_EQ(refusal(folder), "Is a directory");
    EXPECT_EQ(refusal(folder / "no" / "folder"), "No such file or directory");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(refusal(folder / "pipe"), "it is a pipe without a reader");
    EXPECT_EQ(refusal("/dev/full"), "No space left on device");
}

/// The only file of `folder` that may be there is the old one.
void expect_alone(const fs::path& file) {
    for (const auto& entry : fs::directory_iterator(file.parent_path())) EXPECT_EQ(entry.path(), file);
}

TEST_F(DumpFile, ThatIsGoodStaysSoWhereTheNewOneFails) {
    const fs::path old = old_file("old");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{4, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string why = refusal(old, "longer than four bytes");
    const std::string of_new = refusal(folder / "new", "longer than four bytes");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(why, "File too large");
    EXPECT_EQ(of_new, "File too large");
    expect_text(old, "what was there");
    expect_alone(old);
}

TEST_F(DumpFile, KeepsItsPermissionsAndOtherNames) {
    const fs::path old = old_file("old");
    fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
    EXPECT_EQ(refusal(old), "");
    EXPECT_EQ(fs::status(old).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
    expect_alone(old);
    fs::create_hard_link(old, folder / "other_name");
    EXPECT_EQ(refusal(old, "newer"), "");
    expect_text(folder / "other_name", "newer");
}

TEST_F(DumpFile, KeepsAttributesAndListsOfAccess) {
    const fs::path old = old_file("old");
    if (setxattr(old.c_str(), "user.note", "x", 1, 0) != 0)
        GTEST_SKIP() << "no attributes in this file system";
    EXPECT_EQ(refusal(old), "");
    char value = 0;
    EXPECT_EQ(getxattr(old.c_str(), "user.note", &value, 1), 1);
    expect_text(old, "new");
}

TEST_F(DumpFile, PipeWhoseReaderLeavesOrStaysAwayEndsNothing) {
    const std::string path = folder / "pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const std::string more(1 << 20, 'x');  // than a pipe holds
    std::thread leaving([&] {
        const int end = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        char piece[8];
        EXPECT_EQ(read(end, piece, sizeof piece), 8);
        close(end);
    });
    std::string why;
    while ((why = refusal(path, more)) == "it is a pipe without a reader") usleep(1000);
    leaving.join();
    EXPECT_EQ(why, "it is a pipe whose reader left");
    const int idle = open(path.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(refusal(path, more), "it is a pipe whose reader took nothing for 200 ms");
    close(idle);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

/// A world-writable folder of `somebody`, with a file or link of `another` in it.
class SharedFolder : public DumpFile {
protected:
    void SetUp() override {
        DumpFile::SetUp();
        if (geteuid() != 0) GTEST_SKIP() << "only root may make files of other users";
        ASSERT_EQ(chown(folder.c_str(), somebody, somebody), 0);
        fs::permissions(folder, fs::perms::all | fs::perms::sticky_bit);
    }
    fs::path given_to(uid_t owner, const fs::path& path) const {
        EXPECT_EQ(lchown(path.c_str(), owner, owner), 0);
        return path;
    }
    fs::path link(const std::string& name, const fs::path& target, uid_t owner) const {
        fs::create_symlink(target, folder / name);
        return given_to(owner, folder / name);
    }
};

constexpr const char* of_another = " of another user, in a folder that all users may write to";

TEST_F(SharedFolder, LinksOfAnotherUserAreNotFollowed) {
    const fs::path mine = old_file("mine");
    for (const fs::path& path : {link("theirs", mine, another), link("chain", folder / "theirs", 0)}) {
        EXPECT_EQ(refusal(path), std::string("it is a link") + of_another) << path;
        expect_text(mine, "what was there");
    }
    link("dangling", folder / "made", another);
    EXPECT_EQ(refusal(folder / "dangling"), std::string("it is a link") + of_another);
    EXPECT_FALSE(fs::exists(folder / "made"));
}

TEST_F(SharedFolder, FilesOfAnotherUserAreNotWritten) {
    const fs::path theirs = given_to(another, old_file("theirs"));
    fs::permissions(theirs, fs::perms::all);
    EXPECT_EQ(refusal(theirs), std::string("it is a file") + of_another);
    EXPECT_EQ(refusal(link("link", theirs, 0)), std::string("it is a file") + of_another);
    expect_text(theirs, "what was there");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0666), 0);
    given_to(another, folder / "pipe");
    const int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_EQ(refusal(folder / "pipe"), std::string("it is a pipe") + of_another);
    close(reader);
}

TEST_F(SharedFolder, OwnThingsAndThoseOfItsOwnerAreTaken) {
    const fs::path mine = old_file("mine");
    EXPECT_EQ(refusal(mine, "1"), "");
    EXPECT_EQ(refusal(link("mine_too", mine, 0), "2"), "");
    EXPECT_EQ(refusal(link("somebodys", mine, somebody), "3"), "");
    expect_text(mine, "3");
    EXPECT_EQ(refusal(given_to(somebody, old_file("somebodys_file"))), "");
}

TEST_F(SharedFolder, OtherFoldersAreTheirOwnersMatter) {
    fs::permissions(folder, fs::perms::sticky_bit, fs::perm_options::remove);
    const fs::path target = old_file("target");
    EXPECT_EQ(refusal(link("link", target, another)), "");
    expect_text(target, "new");
}

/// The usual way of writing would have been detected.
TEST_F(SharedFolder, CanFail) {
    static fs::path mine;
    mine = old_file("mine");
    std::ofstream(link("theirs", mine, another)) << "new";
    EXPECT_NONFATAL_FAILURE(expect_text(mine, "what was there"), "what was there");
}

}  // namespace
}  // namespace strata::component
