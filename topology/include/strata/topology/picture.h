#pragma once
#include <functional>
#include <string>

#include "strata/topology/hierarchy.h"

namespace strata::topology {

enum class PictureFormat { text, json, dot, svg };

/// Gives a group a name that people know ("n0", "site1"); an empty answer means "use the level and index".
using GroupNamer = std::function<std::string(const Group&)>;

/// Draws a hierarchy. text: an indented tree; json:
/// {"ranks":N,"levels":[{"kind":"node","groups":[{"leader":0, "members":[...]}]}]}, topmost first; dot: for
/// Graphviz; svg: nested boxes, ranks as circles, leaders filled, readable at a glance without any tool. A
/// group that `namer` names has its "name" in json too. Beyond 512 ranks text, dot and svg show the lowest
/// groups as counts only; json always holds everything.
std::string draw(const Hierarchy& hierarchy, PictureFormat format, const GroupNamer& namer = {});

}  // namespace strata::topology
