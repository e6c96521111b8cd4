#pragma once
#include <string>
#include <string_view>

namespace strata::testing {

/// With --vary-settings among the arguments: sets parameters of the plugin (engine, algorithms and segments
/// of every collective, hierarchy, window) as the seed says, by their environment variables. To be called
/// before MPI starts. Without the plugin nobody reads them.
void vary_settings(int argc, char** argv);

/// The parameters in force that decide what this program does, as assignments in front of a shell's command:
/// "OMPI_MCA_coll='^strata' ". To be called before vary_settings().
std::string deciding_environment();

}  // namespace strata::testing
