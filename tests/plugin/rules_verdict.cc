// Prints the plugin parser's verdict on each file: "accepted" or its message, one line each.
#include <cstdio>
#include <exception>

#include "algorithms/config/rules.h"

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        try {
            strata::algorithms::parse_rules(strata::topology::read_text_file(argv[i]), argv[i]);
            std::puts("accepted");
        } catch (const std::exception& error) {
            std::puts(error.what());
        }
    }
    return 0;
}
