#include "component/base/dump_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "topology/text.h"

namespace strata::component {
namespace {

constexpr int most_links = 40;  // the kernel's limit

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
    throw std::runtime_error(std::string(what) + " of another user, in a folder that all users may write to");
}

/// Links in /proc, such as /proc/self/fd/2, may lead to files without a name.
bool is_in_proc(const std::string& path) {
    struct statfs system {};
    return statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

struct Target {
    std::string path;  // after links
    int file = -1;
    bool is_new = false;
    bool is_output = false;  // an open file of a process: writing goes on at its end
};

/// Returns the descriptor that /proc/self/fd/2, /dev/stderr and the like name; negative for other paths.
int own_number(const std::string& path) {
    std::error_code unknown;
    const auto folder = std::filesystem::canonical(folder_of(path), unknown);
    if (unknown || folder != std::filesystem::canonical("/proc/self/fd", unknown)) return -1;
    return topology::whole_number<int>(std::filesystem::path(path).filename().string()).value_or(-1);
}

Target open_in_proc(const std::string& path, int flags) {
    if (const int number = own_number(path); number >= 0) {
        return {path, fcntl(number, F_DUPFD_CLOEXEC, 0), false, true};
    }
    return {path, open(path.c_str(), flags | O_APPEND), false, true};
}

/// Opens a path, following trusted links. Does not truncate an existing file.
Target open_followed(std::string path) {
    constexpr int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
    constexpr mode_t usual = 0666;
    for (int links = 0; links < most_links; ++links) {
        int file = open(path.c_str(), flags);
        const bool is_new = file < 0 && errno == ENOENT;
        if (is_new) file = open(path.c_str(), flags | O_CREAT | O_EXCL, usual);
        if (file >= 0) return {path, file, is_new};
        const int error = errno;  // ELOOP: a link; EACCES: the kernel distrusts the link
        if (is_new && error == EEXIST) continue;
        struct stat link {};
        if ((error != ELOOP && error != EACCES) || lstat(path.c_str(), &link) != 0 ||
            !S_ISLNK(link.st_mode)) {
            errno = error;
            return {path};
        }
        require_trusted(path, link.st_uid, "it is a link");
        if (is_in_proc(path)) return open_in_proc(path, flags & ~O_NOFOLLOW);
        std::error_code unread;
        const auto target = std::filesystem::read_symlink(path, unread);
        if (unread) fail(unread.value());
        path = std::filesystem::path(folder_of(path)) / target;
    }
    errno = ELOOP;
    return {path};
}

/// Blocks SIGPIPE and SIGXFSZ during its lifetime: a closed pipe or a file at its size limit makes write()
/// fail and does not end the process.
class NoSignals {
public:
    NoSignals() {
        sigset_t pending;
        sigpending(&pending);
        sigemptyset(&own_);
        for (const int signal : {SIGPIPE, SIGXFSZ}) {
            if (sigismember(&pending, signal) == 0) sigaddset(&own_, signal);
        }
        pthread_sigmask(SIG_BLOCK, &own_, &before_);
    }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;
    ~NoSignals() {
        const timespec at_once{};
        while (sigtimedwait(&own_, nullptr, &at_once) > 0) continue;
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t own_, before_;
};

/// Throws after `patience`, because the other ranks of the job wait for this one.
void wait_for_reader(int pipe, std::chrono::milliseconds patience) {
    pollfd ready{pipe, POLLOUT, 0};
    int found = 0;
    do {
        found = poll(&ready, 1, static_cast<int>(patience.count()));
    } while (found < 0 && errno == EINTR);
    if (found < 0) fail(errno);
    if (found == 0) {
        throw std::runtime_error("it is a pipe whose reader took nothing for " +
                                 std::to_string(patience.count()) + " ms");
    }
}

void write_all(int file, std::string_view text, std::chrono::milliseconds patience) {
    const NoSignals guard;
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE) throw std::runtime_error("it is a pipe whose reader left");
        if (written < 0 && errno == EAGAIN) {
            wait_for_reader(file, patience);
            continue;
        }
        if (written < 0) fail(errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Returns true if a new file can replace this one without loss: it belongs to this user and has no other
/// names, access lists or attributes.
bool is_replaceable(int file, const struct stat& old) {
    if (old.st_uid != geteuid() || old.st_nlink != 1) return false;
    char names[4096];
    const ssize_t bytes = flistxattr(file, names, sizeof names);
    if (bytes < 0) return errno == ENOTSUP;
    const std::string_view all(names, static_cast<std::size_t>(bytes));
    for (const std::string_view name : topology::split(all, '\0')) {
        if (!name.empty() && !name.starts_with("security.")) return false;  // the kernel sets security.*
    }
    return true;
}

/// Writes a new file beside `path` and renames it when it is complete. Returns false if the folder forbids
/// it.
bool replace_file(const std::string& path, const struct stat& old, std::string_view text) {
    const std::string part = path + "." + std::to_string(getpid()) + ".part";
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(open(part.c_str(), flags, old.st_mode & 0777));
    if (file.number() < 0) {
        for (const int error : {EACCES, EPERM, EROFS, EEXIST, ENAMETOOLONG}) {
            if (errno == error) return false;
        }
        fail(errno);
    }
    struct stat made {};
    const bool is_alike =
        fstat(file.number(), &made) == 0 &&
        (made.st_mode == old.st_mode || fchmod(file.number(), old.st_mode & 07777) == 0) &&
        (made.st_gid == old.st_gid || fchown(file.number(), static_cast<uid_t>(-1), old.st_gid) == 0);
    try {
        if (is_alike) write_all(file.number(), text, {});
        file.close();
    } catch (...) {
        unlink(part.c_str());
        throw;
    }
    if (is_alike && rename(part.c_str(), path.c_str()) == 0) return true;
    unlink(part.c_str());
    return false;
}

void write_plain(const Target& target, Descriptor& file, const struct stat& opened, std::string_view text) {
    if (!target.is_new && is_replaceable(file.number(), opened) && replace_file(target.path, opened, text))
        return;
    try {
        if (ftruncate(file.number(), 0) != 0) fail(errno);
        write_all(file.number(), text, {});
        file.close();
    } catch (...) {
        if (target.is_new) unlink(target.path.c_str());
        throw;
    }
}

}  // namespace

bool write_dump_file(const std::string& path, std::string_view text, std::chrono::milliseconds patience) {
    const Target target = open_followed(path);
    Descriptor file(target.file);
    if (file.number() < 0) {
        if (errno == ENXIO) throw std::runtime_error("it is a pipe without a reader");
        fail(errno);
    }
    struct stat opened {};
    if (fstat(file.number(), &opened) != 0) fail(errno);
    const bool is_pipe = S_ISFIFO(opened.st_mode);
    const bool is_plain = S_ISREG(opened.st_mode);
    if (!target.is_output && (is_plain || is_pipe)) {
        require_trusted(target.path, opened.st_uid, is_plain ? "it is a file" : "it is a pipe");
    }
    if (is_plain && !target.is_output) {
        write_plain(target, file, opened, text);
        return false;
    }
    // A user may pause a terminal: write to it without a time limit.
    if (!is_pipe && !target.is_output && fcntl(file.number(), F_SETFL, 0) != 0) fail(errno);
    write_all(file.number(), text, patience);
    file.close();
    return true;
}

}  // namespace strata::component
