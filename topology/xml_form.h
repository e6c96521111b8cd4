#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

/// The objects of an XML topology, and nothing else of it, as an XML topology that hwloc 2 can read whatever
/// the first one is: hwloc takes for granted that it wrote it, and others make it crash or never end (2.9;
/// its import says so in a comment, "hwloc never generated such buggy XML, but users could create one"), be
/// it by sets, by tables of distances or by what its two parsers understand differently. Throws
/// std::invalid_argument, naming the line, where objects do not lie within each other as hwloc's do, or the
/// text is no well-formed XML.
std::string checked_xml(std::string_view xml);

}  // namespace strata::topology
