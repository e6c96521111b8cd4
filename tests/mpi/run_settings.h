#pragma once
#include <string>
#include <string_view>

namespace strata::testing {

/// With --vary-settings among the arguments: sets parameters of the plugin (engine, algorithms and segments
/// of every collective, hierarchy, window) from the seed, as environment variables. Call it before MPI
/// starts. Without the plugin these variables have no effect.
void vary_settings(int argc, char** argv);

/// Returns the parameters that change this program's behaviour, as assignments in front of a shell command:
/// "OMPI_MCA_coll='^strata' ". Call it before vary_settings().
std::string deciding_environment();

}  // namespace strata::testing
