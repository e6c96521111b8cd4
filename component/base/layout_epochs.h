#pragma once
// Which releases of Open MPI lay out alike what the plugin reads of it. Knows no Open MPI itself.
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

/// Releases from `first` to `last` are alike. The columns of layout_4.def and layout_5.def are these.
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

/// Of a release that is listed; nullptr else.
constexpr const Epoch* epoch_of(const Release& release) {
    for (const Epoch& epoch : epochs) {
        if (epoch.first <= release && release <= epoch.last) {
            return &epoch;
        }
    }
    return nullptr;
}

/// The release in what MPI_Get_library_version says, such as "Open MPI v5.0.7rc2, package: ..."; nothing
/// where a vendor says something else.
std::optional<Release> parse_release(std::string_view text);

/// "4.1.4"
std::string name_of(const Release& release);

/// The size of an object of a class, in bytes: as compiled, and as the running library makes it.
struct ClassSize {
    const char* name;
    std::size_t built;
    std::size_t running;
};

struct Verdict {
    std::string objection;   ///< why the plugin must not read anything; empty: it may
    bool is_listed = false;  ///< by the releases alone, which are of one epoch; else by the sizes
};

/// Whether what is built for one release may run in another. `running` is nothing where the library does not
/// say. What has no class goes by the epoch; where a release is not listed, by the class whose members change
/// with it (the communicator's table: the module). Debugging, fault tolerance, CUDA and longer names change
/// the size of a class.
Verdict judge(const Release& built, const std::optional<Release>& running,
              std::span<const ClassSize> classes);

}  // namespace strata::component::layout
