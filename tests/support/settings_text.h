// Parses settings from text, and writes files that settings name.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "component/settings/settings.h"

namespace strata::testing {

using namespace strata::component;

inline const std::vector<std::string> components = {"basic", "sm", "tuned"};

struct Parsed {
    Settings settings;
    std::vector<std::string> errors;
};

inline Parsed parse(const SettingsText& text) {
    Parsed parsed;
    parsed.settings = parse_settings(text, components, parsed.errors);
    return parsed;
}

inline SettingsText with(const std::function<void(SettingsText&)>& change) {
    SettingsText text;
    change(text);
    return text;
}

inline CollectiveText& bcast(SettingsText& text) {
    return text.collectives[static_cast<int>(Collective::bcast)];
}

/// A temporary file that the destructor removes.
class File {
public:
    File(const std::string& name, const std::string& content)
        : path(::testing::TempDir() + "strata_settings_" + name) {
        std::ofstream(path) << content;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::remove(path.c_str()); }
    const std::string path;
};

}  // namespace strata::testing
