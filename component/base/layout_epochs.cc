#include "component/base/layout_epochs.h"

#include <cstdio>

namespace strata::component::layout {

std::optional<Release> parse_release(std::string_view text) {
    constexpr std::string_view before = "Open MPI v";
    const std::size_t found = text.find(before);
    Release release;
    if (found == text.npos || std::sscanf(std::string(text.substr(found + before.size())).c_str(), "%d.%d.%d",
                                          &release.major, &release.minor, &release.patch) != 3) {
        return std::nullopt;
    }
    return release;
}

std::string name_of(const Release& release) {
    return std::to_string(release.major) + "." + std::to_string(release.minor) + "." +
           std::to_string(release.patch);
}

static std::string first_difference(std::span<const ClassSize> classes) {
    for (const ClassSize& one : classes) {
        if (one.built != one.running) {
            return std::string(one.name) + " has " + std::to_string(one.running) +
                   " bytes there instead of " + std::to_string(one.built);
        }
    }
    return {};
}

Verdict judge(const Release& built, const std::optional<Release>& running,
              std::span<const ClassSize> classes) {
    const Epoch* from = epoch_of(built);
    const Epoch* to = running ? epoch_of(*running) : nullptr;
    const bool other_series = running && (running->major != built.major || running->minor != built.minor);
    if (other_series || (from != nullptr && to != nullptr && from != to)) {
        return {"their structures differ", true};
    }
    return {first_difference(classes), from != nullptr && to != nullptr};
}

}  // namespace strata::component::layout
