#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

/// Returns the objects of an XML topology, and nothing else, as an XML topology that hwloc 2 reads
/// safely. hwloc trusts that it wrote its input: sets, distance tables and differences between its two
/// parsers make it crash or loop (2.9; its import states "hwloc never generated such buggy XML, but
/// users could create one"). Throws std::invalid_argument naming the line if the objects do not nest as
/// hwloc's do, or if the text is not well-formed XML.
std::string checked_xml(std::string_view xml);

}  // namespace strata::topology
