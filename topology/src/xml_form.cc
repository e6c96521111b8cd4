#include "xml_form.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hardware_path.h"
#include "strata/topology/text.h"
#include "xml_tags.h"

namespace strata::topology {
namespace {

constexpr unsigned most_indices = 1U << 20;  // a set of them takes 128 KiB

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// As hwloc writes sets: "0x00000003", "0xf...f,,0x1"; anything else may end in an assertion of hwloc.
bool is_set(std::string_view text) {
    constexpr std::string_view open_end = "0xf...f";
    constexpr std::size_t most_digits = 8;
    bool first = true;
    for (std::string_view word : split(text, ',')) {
        const bool begins = std::exchange(first, false);
        if (word.empty() && !begins) continue;
        if (begins && word == open_end) continue;
        if (!word.starts_with("0x")) return false;
        word.remove_prefix(2);
        if (word.empty() || word.size() > most_digits ||
            word.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

/// Of any tag.
void check_sets(const XmlAttributes& attributes) {
    for (const auto& [name, value] : attributes) {
        if ((name.ends_with("cpuset") || name.ends_with("nodeset")) && !is_set(value)) {
            refuse(std::string(name) + " '" + utf8_text(value) + "' is no set of numbers");
        }
    }
}

/// Where an object stands in hwloc's tree (hwloc 2, "Terms and Definitions").
enum class Role : std::uint8_t { machine, normal, thread, node, memory, apart };

/// Types as hwloc's import understands them, which takes parts and other cases of the words, too.
Role role_of(std::string_view type) {
    hwloc_obj_type_t known = HWLOC_OBJ_GROUP;  // "Cache", "Tile", "Module" of other versions
    if (type.find('&') != type.npos) refuse("type '" + utf8_text(type) + "' of an object is none");
    if (type == "System") return Role::machine;
    if (type == "MemCache") return Role::memory;
    if (hwloc_type_sscanf(std::string(type).c_str(), &known, nullptr, 0) < 0) return Role::normal;
    if (known == HWLOC_OBJ_MACHINE) return Role::machine;
    if (known == HWLOC_OBJ_PU) return Role::thread;
    if (known == HWLOC_OBJ_NUMANODE) return Role::node;
    if (hwloc_obj_type_is_memory(known) != 0) return Role::memory;
    return hwloc_obj_type_is_normal(known) != 0 ? Role::normal : Role::apart;
}

struct XmlObject {
    std::string type;
    Role role = Role::normal;
    Bitmap cpuset, complete_cpuset, nodeset, complete_nodeset;  // null where there is none
    Bitmap taken;                                               // by its normal children

    std::string called() const { return "object " + utf8_text(type); }
};

Bitmap set_of(const XmlAttributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return nullptr;
    const Bitmap set = empty_bitmap();
    hwloc_bitmap_sscanf(set.get(), std::string(found->second).c_str());
    return set;
}

void check_within(const XmlObject& object, const char* part, const Bitmap& set, const std::string& whole,
                  const Bitmap& around) {
    if (!set) return;
    if (!around || hwloc_bitmap_isincluded(set.get(), around.get()) == 0) {
        refuse(object.called() + " has a " + part + " that " + whole + " does not contain");
    }
}

/// hwloc wants both, or neither.
void check_complete(const XmlObject& object, const char* part, const Bitmap& set, const Bitmap& complete) {
    const std::string whole = "complete_" + std::string(part);
    if (set && !complete) refuse(object.called() + " has no " + whole);
    if (!set && complete) refuse(object.called() + " has no " + part);
    check_within(object, part, set, "its " + whole, complete);
}

/// PUs and NUMA nodes are what sets count.
void check_index(const XmlObject& object, const XmlAttributes& attributes) {
    const bool is_thread = object.role == Role::thread;
    const auto index = attributes.find("os_index");
    if (index == attributes.end()) refuse(object.called() + " has no os_index");
    const auto number = whole_number<unsigned>(index->second);
    if (!number || *number >= most_indices) {
        refuse(object.called() + " has os_index '" + utf8_text(index->second) + "', which must be below " +
               std::to_string(most_indices));
    }
    const Bitmap& set = is_thread ? object.complete_cpuset : object.complete_nodeset;
    if (!set || hwloc_bitmap_weight(set.get()) != 1 || hwloc_bitmap_isset(set.get(), *number) == 0) {
        refuse(object.called() + " " + std::to_string(*number) + " has a " +
               (is_thread ? "complete_cpuset" : "complete_nodeset") + " of another number");
    }
}

XmlObject read_object(const XmlAttributes& attributes) {
    const auto type = attributes.find("type");
    if (type == attributes.end() || type->second.empty()) refuse("an object has no type");
    XmlObject object;
    object.type = type->second;
    object.role = role_of(type->second);
    object.cpuset = set_of(attributes, "cpuset");
    object.complete_cpuset = set_of(attributes, "complete_cpuset");
    object.nodeset = set_of(attributes, "nodeset");
    object.complete_nodeset = set_of(attributes, "complete_nodeset");
    if (object.role == Role::apart) {
        if (object.cpuset) refuse(object.called() + " has a cpuset");
        return object;
    }
    if (!object.cpuset) refuse(object.called() + " has no cpuset");
    check_complete(object, "cpuset", object.cpuset, object.complete_cpuset);
    check_complete(object, "nodeset", object.nodeset, object.complete_nodeset);
    if (object.role == Role::thread || object.role == Role::node) check_index(object, attributes);
    return object;
}

/// What the children of an object may be (hwloc 2, "Terms and Definitions": normal, memory, I/O and Misc).
void check_place(const XmlObject& object, XmlObject& parent) {
    const std::string around = "the " + parent.called() + " around it";
    if (object.role == Role::apart) return;
    if (parent.role == Role::apart || parent.role == Role::thread) {
        refuse(object.called() + " lies within the " + parent.called());
    }
    check_within(object, "cpuset", object.cpuset, around, parent.cpuset);
    check_within(object, "complete_cpuset", object.complete_cpuset, around, parent.complete_cpuset);
    if (parent.nodeset && !object.nodeset) refuse(object.called() + " has no nodeset");
    if (parent.role != Role::node) {  // up to hwloc 1.11 others stood in a NUMA node; hwloc 2 takes them out
        check_within(object, "nodeset", object.nodeset, around, parent.nodeset);
        check_within(object, "complete_nodeset", object.complete_nodeset, around, parent.complete_nodeset);
    }
    if (object.role == Role::memory || object.role == Role::node) return;
    if (!parent.taken) parent.taken = empty_bitmap();
    if (hwloc_bitmap_intersects(parent.taken.get(), object.complete_cpuset.get()) != 0) {
        refuse(object.called() + " shares processors with another one in the " + parent.called());
    }
    hwloc_bitmap_or(parent.taken.get(), parent.taken.get(), object.complete_cpuset.get());
}

/// The objects around the current tag, the innermost last; other tags between them have a type-less entry.
class XmlTree {
public:
    void open(const XmlTag& tag) {
        if (open_.empty() && tag.name != "topology" && tag.name != "root") {
            refuse("tag '" + std::string(tag.name) + "' instead of 'topology'");
        }
        check_sets(tag.attributes);
        XmlObject object;
        if (tag.name == "object") {
            object = read_object(tag.attributes);
            place(object);
        }
        open_.push_back(std::move(object));
    }

    void close() { open_.pop_back(); }

private:
    void place(const XmlObject& object) {
        if (open_.size() == 1) {
            if (std::exchange(has_machine_, true)) refuse("a second object behind the Machine");
            if (object.role != Role::machine) refuse(object.called() + " instead of the Machine");
            return;
        }
        if (open_.empty() || open_.back().type.empty()) refuse(object.called() + " lies within no object");
        check_place(object, open_.back());
    }

    std::vector<XmlObject> open_;
    bool has_machine_ = false;
};

}  // namespace

void check_xml_form(std::string_view xml) {
    XmlTags tags(xml);
    XmlTree tree;
    try {
        while (const auto tag = tags.next()) {
            if (tag->opens) tree.open(*tag);
            if (tag->closes) tree.close();
        }
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("line " + std::to_string(tags.line()) + ": " + error.what());
    }
}

}  // namespace strata::topology
