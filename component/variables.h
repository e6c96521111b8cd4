#pragma once
#include <array>
#include <deque>
#include <string>

#include "ompi_compat.h"
#include "settings.h"

namespace strata::component {

/// The component's MCA parameters: one declaration each, with name, default and help text.
class Variables {
public:
    void register_all(const mca_base_component_t* component);
    /// Values as Open MPI collected them from command line, environment and files.
    SettingsText text() const;

private:
    struct Text {
        char* value = nullptr;  // owned by Open MPI once registered
        std::string SettingsText::*member = nullptr;
        std::string CollectiveText::*collective_member = nullptr;
        int collective = -1;
    };
    void add(const mca_base_component_t* component, const std::string& name, const std::string& help,
             mca_base_var_info_lvl_t level, const std::string& standard, Text text);

    SettingsText defaults_;
    std::deque<Text> texts_;  // addresses are given to Open MPI
};

}  // namespace strata::component
