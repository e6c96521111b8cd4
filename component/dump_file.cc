#include "dump_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
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
constexpr int most_seconds_of_reader = 10;

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

/// While it lives a pipe that its reader left is an error of write(), not the end of the process.
class NoPipeSignal {
public:
    NoPipeSignal() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) != 0;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;
    ~NoPipeSignal() {
        const timespec at_once{};
        if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t pipe_, before_;
    bool was_pending_ = false;
};

/// The other ranks of the job wait for this one.
void wait_for_reader(int pipe) {
    pollfd ready{pipe, POLLOUT, 0};
    int found = 0;
    do {
        found = poll(&ready, 1, 1000 * most_seconds_of_reader);
    } while (found < 0 && errno == EINTR);
    if (found < 0) fail(errno);
    if (found == 0) {
        throw std::runtime_error("it is a pipe whose reader took nothing for " +
                                 std::to_string(most_seconds_of_reader) + " seconds");
    }
}

void write_all(int file, std::string_view text) {
    const NoPipeSignal guard;
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE) throw std::runtime_error("it is a pipe whose reader left");
        if (written < 0 && errno == EAGAIN) {
            wait_for_reader(file);
            continue;
        }
        if (written < 0) fail(errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// A file of its own beside `path`, which takes its place when it is whole. False where the folder or the
/// file's links and owner do not allow that.
bool replace_file(const std::string& path, const struct stat& old, std::string_view text) {
    if (old.st_uid != geteuid() || old.st_nlink != 1) return false;
    const std::string part = path + "." + std::to_string(getpid()) + ".part";
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(open(part.c_str(), flags, old.st_mode & 0777));
    if (file.number() < 0) return false;
    struct stat made {};
    const bool is_alike =
        fstat(file.number(), &made) == 0 &&
        (made.st_mode == old.st_mode || fchmod(file.number(), old.st_mode & 07777) == 0) &&
        (made.st_gid == old.st_gid || fchown(file.number(), static_cast<uid_t>(-1), old.st_gid) == 0);
    try {
        if (is_alike) write_all(file.number(), text);
        file.close();
    } catch (...) {
        unlink(part.c_str());
        throw;
    }
    if (is_alike && rename(part.c_str(), path.c_str()) == 0) return true;
    unlink(part.c_str());
    return false;
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
    const bool nameless = is_in_proc(path);
    if ((plain || S_ISFIFO(opened.st_mode)) && !nameless) {
        require_trusted(path, opened.st_uid, plain ? "it is a file" : "it is a pipe");
    }
    if (plain && nameless) {  // the output of this process: what stands in it stays
        if (fcntl(file.number(), F_SETFL, O_APPEND) != 0) fail(errno);
    } else if (plain) {
        if (replace_file(path, opened, text)) return;
        if (ftruncate(file.number(), 0) != 0) fail(errno);
    }
    write_all(file.number(), text);
    file.close();
}

}  // namespace strata::component
