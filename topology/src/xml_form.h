#pragma once
#include <string_view>

namespace strata::topology {

/// hwloc takes for granted that an XML topology is one that it wrote: others make it crash or never end,
/// though they are well-formed XML. Throws std::invalid_argument, naming the line, where objects do not lie
/// within each other as hwloc's do (hwloc 2.9, "Consistency and robustness of objects" is checked by it only
/// in debug builds: hwloc_topology_check()).
void check_xml_form(std::string_view xml);

}  // namespace strata::topology
