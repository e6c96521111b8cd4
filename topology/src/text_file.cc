#include "strata/topology/text_file.h"

#include <filesystem>
#include <fstream>

namespace strata::topology {

FileError::FileError(std::string_view file, int line, std::string_view message)
    : std::runtime_error(std::string(file) + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " " +
                         std::string(message)) {}

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw FileError(path, 0, "cannot be opened");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw FileError(path, 0, "is a directory");
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

}  // namespace strata::topology
