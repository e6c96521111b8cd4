#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace strata::tool {
namespace {

[[noreturn]] void fail(const std::string& path) {
    const std::string why = std::strerror(errno);
    throw std::runtime_error("--output: cannot write '" + (path.empty() ? "-" : path) + "': " + why);
}

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

}  // namespace

void write_output(const std::function<void(std::ostream&)>& write, const std::string& path) {
    if (is_standard(path)) {
        write(std::cout);
        if (!std::cout.flush()) fail(path);
        return;
    }
    std::ofstream file(path, std::ios::binary);
    if (file) write(file);
    file.close();
    if (!file) fail(path);
}

void write_output(const std::string& text, const std::string& path) {
    write_output([&](std::ostream& out) { out << text; }, path);
}

void require_writable(const std::string& path) {
    if (is_standard(path)) return;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        errno = EISDIR;
        fail(path);
    }
    if (access(path.c_str(), W_OK) == 0) return;
    if (errno != ENOENT) fail(path);
    constexpr mode_t usual = 0666;
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual);
    if (file < 0) fail(path);
    close(file);
    unlink(path.c_str());
}

}  // namespace strata::tool
