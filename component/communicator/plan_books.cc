#include "component/communicator/plan_books.h"

#include <utility>

#include "algorithms/planning/plan_shelf.h"
#include "component/base/process_wide.h"
#include "topology/fact_hash.h"

namespace strata::component {
namespace {

struct Shelf : algorithms::PlanShelf {
    Shelf() : PlanShelf(kept_bytes) {}
};

algorithms::PlanShelf& shelf() {
    static ProcessWide<Shelf> all;
    return all.get();
}

}  // namespace

/// In a block of its own, so that a weak reference to a book that is gone keeps next to nothing.
std::shared_ptr<algorithms::PlanBook> make_plans(topology::Hierarchy hierarchy,
                                                 const CommunicatorSettings& settings, int lanes) {
    return std::shared_ptr<algorithms::PlanBook>(
        new algorithms::PlanBook(std::move(hierarchy), settings, settings.hierarchy.has_value(), lanes));
}

std::shared_ptr<algorithms::PlanBook> shared_plans(topology::Hierarchy hierarchy, const Settings& job,
                                                   int lanes) {
    const std::uint64_t hash = topology::hash_of(hierarchy);
    auto book = shelf().find(hash, hierarchy, lanes);
    if (book == nullptr) {
        book = make_plans(std::move(hierarchy), job, lanes);
        shelf().add(hash, book);
    }
    return book;
}

void give_back_plans(const std::shared_ptr<algorithms::PlanBook>& book) noexcept { shelf().give_back(book); }

}  // namespace strata::component
