#include "topology/text_file.h"

#include <dirent.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace strata::topology {

FileError::FileError(std::string_view file, int line, std::string_view message)
    : std::runtime_error(std::string(file) + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " " +
                         std::string(message)) {}

namespace {

/// Returns true for paths that a shell substitutes for <(command), and similar.
bool is_open_file(const std::string& path) {
    const bool of_process = path.starts_with("/proc/") && path.find("/fd/") != std::string::npos;
    return path.starts_with("/dev/fd/") || path == "/dev/stdin" || of_process;
}

}  // namespace

std::string_view unreadable_kind(const std::string& path) {
    std::error_code ignored;
    switch (std::filesystem::status(path, ignored).type()) {
        case std::filesystem::file_type::directory: return "is a directory";
        case std::filesystem::file_type::block: return "is a device";
        case std::filesystem::file_type::character:
            return is_open_file(path) || path == "/dev/null" ? "" : "is a device";
        case std::filesystem::file_type::fifo: return is_open_file(path) ? "" : "is a named pipe";
        default: return "";
    }
}

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
    if (const auto kind = unreadable_kind(path); !kind.empty()) throw FileError(path, 0, kind);
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw FileError(path, 0, "cannot be opened: " + std::generic_category().message(errno));
    std::string text;
    char piece[65536];
    while (stream) {
        stream.read(piece, sizeof piece);
        text.append(piece, static_cast<std::size_t>(stream.gcount()));
        if (text.size() > most_bytes) {
            throw FileError(path, 0, "is longer than " + std::to_string(most_bytes) + " bytes");
        }
    }
    if (stream.bad()) throw FileError(path, 0, "cannot be read");
    return text;
}

// std::filesystem is unsafe here: libstdc++'s iterator terminates the process when memory runs out.
std::vector<std::string> entries_of(const std::string& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), closedir);
    while (const dirent* entry = opened ? readdir(opened.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace strata::topology
