#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace strata::tool {

void write_output(const std::string& text, const std::string& path) {
    if (path.empty() || path == "-") {
        if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
            return;
    } else {
        std::ofstream file(path, std::ios::binary);
        file << text;
        file.close();
        if (file) return;
    }
    const std::string why = std::strerror(errno);
    throw std::runtime_error("--output: cannot write '" + (path.empty() ? "-" : path) + "': " + why);
}

}  // namespace strata::tool
