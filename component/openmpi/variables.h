#pragma once
#include <array>
#include <string>
#include <vector>

#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"

namespace strata::component {

/// The component's MCA parameters: one declaration each, with name, default and help text.
class Variables {
public:
    void register_all(const mca_base_component_t* component);
    /// Returns the values that Open MPI collected from command line, environment and files.
    SettingsText text() const;
    /// Returns one line for each parameter in the environment or of mpirun that does not exist.
    static std::vector<std::string> unknown_names();

private:
    struct Text {
        char* value = nullptr;  // owned by Open MPI once registered
        std::string SettingsText::*member = nullptr;
        std::string CollectiveText::*collective_member = nullptr;
        int collective = -1;
    };
    void add(const mca_base_component_t* component, const std::string& name, const std::string& help,
             mca_base_var_info_lvl_t level, const std::string& standard, Text text);

    // Open MPI keeps the addresses of these elements until the process ends.
    std::array<Text, 24 + 3 * static_cast<std::size_t>(collective_count)> texts_;
    std::size_t count_ = 0;
};

}  // namespace strata::component
