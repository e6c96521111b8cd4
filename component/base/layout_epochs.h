#pragma once
// Releases of Open MPI with the same layout of the structures that the plugin reads. Includes no Open MPI
// header.
#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata::component::layout {

struct Release {
    int major = 0;
    int minor = 0;
    int patch = 0;
    auto operator<=>(const Release&) const = default;
};

/// Releases from `first` to `last` have one layout: a column of layout_4.def or layout_5.def.
struct Epoch {
    Release first;
    Release last;
};
inline constexpr Epoch epochs[] = {
    {{4, 1, 0}, {4, 1, 1}},
    // Two more types in the operators' tables.
    {{4, 1, 2}, {4, 1, 8}},
    {{5, 0, 0}, {5, 0, 6}},
    // c_index_vec in the communicator.
    {{5, 0, 7}, {5, 0, 9}},
    // coll_revoke_local in the module and in the communicator's table.
    {{5, 0, 10}, {5, 0, 10}},
};

/// Returns the epoch of a listed release, else nullptr.
constexpr const Epoch* epoch_of(const Release& release) {
    for (const Epoch& epoch : epochs) {
        if (epoch.first <= release && release <= epoch.last) {
            return &epoch;
        }
    }
    return nullptr;
}

/// Returns the release in MPI_Get_library_version's text ("Open MPI v5.0.7rc2, package: ..."); empty for a
/// vendor's different text.
std::optional<Release> parse_release(std::string_view text);

/// "4.1.4"
std::string name_of(const Release& release);

/// Bytes of an object of an OPAL class: as compiled, and in the running library.
struct ClassSize {
    const char* name;
    std::size_t built;
    std::size_t running;
};

struct Verdict {
    std::string objection;   ///< why the plugin must not run; empty: it may
    bool is_listed = false;  ///< both releases are listed; else only the class sizes were compared
};

/// Decides whether a plugin built for one release may run in another. `running` is empty if the library does
/// not report its release. The epochs decide about structures that are no classes; for an unlisted release a
/// class that changes with them decides (the module for the communicator's table). Debugging, fault
/// tolerance, CUDA and longer names change class sizes.
Verdict judge(const Release& built, const std::optional<Release>& running,
              std::span<const ClassSize> classes);

}  // namespace strata::component::layout
