#include "dump_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace strata::component {
namespace {

constexpr int most_links = 40;  // as the kernel follows

[[noreturn]] void fail(int error) { throw std::runtime_error(std::generic_category().message(error)); }

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    void close() {
        if (::close(std::exchange(number_, -1)) != 0) fail(errno);
    }

private:
    int number_;
};

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder;
}

void require_trusted(const std::string& path, uid_t owner, const char* what) {
    struct stat folder {};
    if (stat(folder_of(path).c_str(), &folder) != 0) fail(errno);
    constexpr mode_t shared = S_ISVTX | S_IWOTH;
    if ((folder.st_mode & shared) != shared || owner == geteuid() || owner == folder.st_uid) return;
    throw std::runtime_error(std::string(what) + " of another user, in a folder that all may write to");
}

/// /proc/self/fd/2 and the like, which lead to what has no name.
bool is_in_proc(const std::string& path) {
    struct statfs system {};
    return statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// A file that is there is not emptied yet. `path` becomes where its links lead to.
int open_followed(std::string& path) {
    constexpr int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    constexpr mode_t usual = 0666;
    for (int links = 0; links < most_links; ++links) {
        const int file = open(path.c_str(), flags | O_CREAT | O_NOFOLLOW, usual);
        if (file >= 0) return file;
        const int error = errno;  // of a link ELOOP; EACCES where the kernel does not trust it either
        struct stat link {};
        if ((error != ELOOP && error != EACCES) || lstat(path.c_str(), &link) != 0 ||
            !S_ISLNK(link.st_mode)) {
            errno = error;
            return -1;
        }
        require_trusted(path, link.st_uid, "it is a link");
        if (is_in_proc(path)) return open(path.c_str(), flags);
        std::error_code unread;
        const auto target = std::filesystem::read_symlink(path, unread);
        if (unread) fail(unread.value());
        path = std::filesystem::path(folder_of(path)) / target;
    }
    errno = ELOOP;
    return -1;
}

}  // namespace

void write_dump_file(std::string path, std::string_view text) {
    Descriptor file(open_followed(path));
    if (file.number() < 0) {
        if (errno == ENXIO) throw std::runtime_error("it is a pipe that nobody reads");
        fail(errno);
    }
    struct stat opened {};
    if (fstat(file.number(), &opened) != 0) fail(errno);
    const bool plain = S_ISREG(opened.st_mode);
    if (plain || S_ISFIFO(opened.st_mode)) {
        if (!is_in_proc(path)) require_trusted(path, opened.st_uid, plain ? "it is a file" : "it is a pipe");
    }
    if (plain && ftruncate(file.number(), 0) != 0) fail(errno);
    if (fcntl(file.number(), F_SETFL, 0) != 0) fail(errno);  // waits where it must from here on
    while (!text.empty()) {
        const ssize_t written = write(file.number(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    file.close();
}

}  // namespace strata::component
