// Prints this project's reading of Slurm's data, for scripts to compare with Slurm itself: "HOST SWITCHES",
// topmost switch first, for each host.
//
//   read_network file FILE HOST...              a file in the syntax of topology.conf
//   read_network address HOST=PATTERN=ADDRESS...   the variables of a process on HOST
//
// Exit status 1, and the error on standard error, when the file cannot be parsed.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "topology/network.h"

using namespace strata::topology;

namespace {

void print(const std::string& host, const std::vector<std::string>& switches) {
    std::string path;
    for (const std::string& name : switches) path += (path.empty() ? "" : ".") + name;
    std::printf("%s %s\n", host.c_str(), path.c_str());
}

void read_file(const std::string& file, const std::vector<std::string>& hosts) {
    const Network network = Network::from_file(file);
    for (const std::string& host : hosts) {
        std::vector<std::string> names;
        for (const std::uint32_t id : network.path_of(host)) names.emplace_back(network.switch_name(id));
        print(host, names);
    }
}

void read_address(const std::string& word) {
    const std::size_t first = word.find('=');
    const std::size_t second = word.find('=', first + 1);
    const std::string host = word.substr(0, first);
    print(host, slurm_switches(word.substr(second + 1), word.substr(first + 1, second - first - 1), host));
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (words.size() > 1 && words[0] == "file") {
            read_file(words[1], {words.begin() + 2, words.end()});
        } else if (words.size() > 1 && words[0] == "address") {
            for (std::size_t i = 1; i < words.size(); ++i) read_address(words[i]);
        } else {
            std::fputs("read_network file FILE HOST... | address HOST=PATTERN=ADDRESS...\n", stderr);
            return 2;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
