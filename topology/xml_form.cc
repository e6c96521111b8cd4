#include "topology/xml_form.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "topology/hardware_path.h"
#include "topology/text.h"
#include "topology/xml_tags.h"

namespace strata::topology {
namespace {

constexpr unsigned most_indices = 1U << 20;  // a full set takes 128 KiB

/// Returns true for sets as hwloc writes them ("0x00000003", "0xf...f,,0x1"); other text may trigger an
/// assertion of hwloc.
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

void check_sets(const XmlAttributes& attributes) {
    for (const auto& [name, value] : attributes) {
        if ((name.ends_with("cpuset") || name.ends_with("nodeset")) && !is_set(value)) {
            reject_xml(std::string(name) + " " + quoted_text(value) + " is no set of numbers");
        }
    }
}

/// The role of an object in hwloc's tree (hwloc 2, "Terms and Definitions").
enum class Role : std::uint8_t { machine, normal, thread, node, memory, apart };

/// Returns the role of a type as hwloc's import reads it: abbreviations and any case are accepted.
Role role_of(const std::string& type) {
    constexpr std::string_view of_types = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    constexpr std::size_t longest = 32;
    if (type.empty() || type.size() > longest || type.find_first_not_of(of_types) != type.npos) {
        reject_xml("type " + quoted_text(type) + " is no object type");
    }
    hwloc_obj_type_t known = HWLOC_OBJ_GROUP;
    if (type == "System") return Role::machine;
    if (type == "MemCache") return Role::memory;
    // Unknown types ("Cache", "Tile" and "Module" of other versions) are normal objects.
    if (hwloc_type_sscanf(type.c_str(), &known, nullptr, 0) < 0) return Role::normal;
    if (known == HWLOC_OBJ_MACHINE) return Role::machine;
    if (known == HWLOC_OBJ_PU) return Role::thread;
    if (known == HWLOC_OBJ_NUMANODE) return Role::node;
    if (hwloc_obj_type_is_memory(known) != 0) return Role::memory;
    return hwloc_obj_type_is_normal(known) != 0 ? Role::normal : Role::apart;
}

struct XmlObject {
    std::string type;  // empty: the tag is no object
    Role role = Role::normal;
    unsigned number = 0;                                        // os_index of a PU or NUMA node
    Bitmap cpuset, complete_cpuset, nodeset, complete_nodeset;  // null if absent
    Bitmap taken;                                               // processors of its normal children
    bool has_children = false;

    std::string called() const { return "object " + type; }
};

Bitmap set_of(const XmlAttributes& attributes, std::string_view name) {
    const std::string* const found = value_of(attributes, name);
    if (found == nullptr) return nullptr;
    const Bitmap set = empty_bitmap();
    hwloc_bitmap_sscanf(set.get(), found->c_str());
    return set;
}

void check_within(const XmlObject& object, const char* part, const Bitmap& set, const std::string& whole,
                  const Bitmap& around) {
    if (!set) return;
    if (!around || hwloc_bitmap_isincluded(set.get(), around.get()) == 0) {
        reject_xml(object.called() + " has a " + part + " that " + whole + " does not contain");
    }
}

/// hwloc requires both sets, or neither.
void check_complete(const XmlObject& object, const char* part, const Bitmap& set, const Bitmap& complete) {
    const std::string whole = "complete_" + std::string(part);
    if (set && !complete) reject_xml(object.called() + " has no " + whole);
    if (!set && complete) reject_xml(object.called() + " has no " + part);
    check_within(object, part, set, "its " + whole, complete);
}

/// Checks the OS index of PUs and NUMA nodes, which sets refer to.
void check_index(XmlObject& object, const XmlAttributes& attributes) {
    const bool is_thread = object.role == Role::thread;
    const std::string* const index = value_of(attributes, "os_index");
    if (index == nullptr) reject_xml(object.called() + " has no os_index");
    const auto number = whole_number<unsigned>(*index);
    if (!number || *number >= most_indices) {
        reject_xml(object.called() + " has os_index " + quoted_text(*index) + ", which must be below " +
                   std::to_string(most_indices));
    }
    object.number = *number;
    const Bitmap& set = is_thread ? object.complete_cpuset : object.complete_nodeset;
    if (!set || hwloc_bitmap_weight(set.get()) != 1 || hwloc_bitmap_isset(set.get(), *number) == 0) {
        reject_xml(object.called() + " " + std::to_string(*number) + " has a " +
                   (is_thread ? "complete_cpuset" : "complete_nodeset") + " of another number");
    }
}

/// `is_old`: hwloc 1 format, in which a Misc object with a cpuset is today's Group.
XmlObject read_object(const XmlAttributes& attributes, bool is_old) {
    const std::string* const type = value_of(attributes, "type");
    if (type == nullptr) reject_xml("an object has no type");
    XmlObject object;
    object.type = *type;
    object.role = role_of(*type);
    object.cpuset = set_of(attributes, "cpuset");
    object.complete_cpuset = set_of(attributes, "complete_cpuset");
    object.nodeset = set_of(attributes, "nodeset");
    object.complete_nodeset = set_of(attributes, "complete_nodeset");
    if (object.role == Role::apart) {
        if (!object.cpuset) return object;
        if (!is_old) reject_xml(object.called() + " has a cpuset");
        object.role = Role::normal;
    }
    if (!object.cpuset) reject_xml(object.called() + " has no cpuset");
    check_complete(object, "cpuset", object.cpuset, object.complete_cpuset);
    check_complete(object, "nodeset", object.nodeset, object.complete_nodeset);
    if (object.role == Role::thread || object.role == Role::node) check_index(object, attributes);
    return object;
}

/// Checks the object's role below its parent (hwloc 2, "Terms and Definitions": normal, memory, I/O and
/// Misc).
void check_place(const XmlObject& object, XmlObject& parent) {
    const std::string around = "the " + parent.called() + " around it";
    if (object.role == Role::apart) return;
    if (parent.role == Role::apart || parent.role == Role::thread) {
        reject_xml(object.called() + " lies within the " + parent.called());
    }
    check_within(object, "cpuset", object.cpuset, around, parent.cpuset);
    check_within(object, "complete_cpuset", object.complete_cpuset, around, parent.complete_cpuset);
    if (parent.nodeset && !object.nodeset) reject_xml(object.called() + " has no nodeset");
    // Up to hwloc 1.11 a NUMA node contained objects; hwloc 2 moves them out.
    if (parent.role != Role::node) {
        check_within(object, "nodeset", object.nodeset, around, parent.nodeset);
        check_within(object, "complete_nodeset", object.complete_nodeset, around, parent.complete_nodeset);
    }
    if (object.role == Role::memory || object.role == Role::node) return;
    if (!parent.taken) parent.taken = empty_bitmap();
    if (hwloc_bitmap_intersects(parent.taken.get(), object.complete_cpuset.get()) != 0) {
        reject_xml(object.called() + " shares processors with another one in the " + parent.called());
    }
    hwloc_bitmap_or(parent.taken.get(), parent.taken.get(), object.complete_cpuset.get());
}

/// Returns the attributes of `tag` that consist of hwloc's own names (lower case, digits and '_'), the
/// type first.
XmlAttributes plain_attributes(const XmlTag& tag) {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz0123456789_";
    XmlAttributes plain;
    for (const auto& attribute : tag.attributes) {
        if (attribute.first.find_first_not_of(of_names) != std::string_view::npos) continue;
        plain.insert(attribute.first == "type" ? plain.begin() : plain.end(), attribute);
    }
    return plain;
}

/// The open tags, the innermost last, and what they already contain.
class CheckedTree {
public:
    void open(const XmlTag& tag) {
        check_sets(tag.attributes);
        XmlObject object;
        if (open_.empty()) {
            begin(tag);
        } else if (tag.name == "object") {
            if (++objects_ > most_objects)
                reject_xml("more than " + std::to_string(most_objects) + " objects");
            object = read_object(tag.attributes, is_old_);
            place(object);
            text_ += tag_text("object", plain_attributes(tag), false) + "\n";
        } else if (tag.name == "info" && !open_.back().type.empty()) {
            if (open_.back().has_children) reject_xml("tag 'info' after an object");
            text_ += tag_text("info", plain_attributes(tag), true) + "\n";
        }
        open_.push_back(std::move(object));
    }

    void close() {
        const bool is_object = !open_.back().type.empty();
        open_.pop_back();
        if (is_object) text_ += "</object>\n";
        if (open_.empty()) text_ += "</" + root_ + ">\n";
    }

    std::string take() { return std::move(text_); }

private:
    void begin(const XmlTag& tag) {
        root_ = tag.name;
        if (root_ != "topology" && root_ != "root")
            reject_xml("tag " + quoted_text(root_) + " instead of 'topology'");
        const std::string* const version = value_of(tag.attributes, "version");
        if (version == nullptr || root_ == "root") {
            text_ = "<" + root_ + ">\n";
            return;
        }
        const auto numbers = split(*version, '.');
        const auto major = whole_number<unsigned>(numbers[0]);
        if (numbers.size() != 2 || !major || !whole_number<unsigned>(numbers[1])) {
            reject_xml("version " + quoted_text(*version) + " is no version");
        }
        is_old_ = *major < 2;
        text_ = tag_text(root_, {{"version", *version}}, false) + "\n";
    }

    void place(const XmlObject& object) {
        if (object.role == Role::thread || object.role == Role::node) {
            const Bitmap& known = object.role == Role::thread ? threads_ : nodes_;
            if (hwloc_bitmap_isset(known.get(), object.number) != 0) {
                reject_xml(object.called() + " " + std::to_string(object.number) + " appears twice");
            }
            hwloc_bitmap_set(known.get(), object.number);
        }
        if (open_.size() == 1) {
            const bool is_root = object.role == Role::machine || (is_old_ && object.role == Role::node);
            if (std::exchange(has_machine_, true)) reject_xml("a second object after the Machine");
            if (!is_root) reject_xml(object.called() + " instead of the Machine");
            return;
        }
        if (open_.back().type.empty()) reject_xml(object.called() + " lies within no object");
        open_.back().has_children = true;
        check_place(object, open_.back());
    }

    std::vector<XmlObject> open_;
    std::string root_;
    std::string text_;
    std::size_t objects_ = 0;
    Bitmap threads_ = empty_bitmap();
    Bitmap nodes_ = empty_bitmap();
    bool is_old_ = true;
    bool has_machine_ = false;
};

}  // namespace

std::string checked_xml(std::string_view xml) {
    XmlTags tags(xml);
    CheckedTree tree;
    try {
        while (const auto tag = tags.next()) {
            if (tag->opens) tree.open(*tag);
            if (tag->closes) tree.close();
        }
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("line " + std::to_string(tags.line()) + ": " + error.what());
    }
    return tree.take();
}

}  // namespace strata::topology
