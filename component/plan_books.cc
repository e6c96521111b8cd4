#include "plan_books.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "strata/topology/fact_hash.h"

namespace strata::component {
namespace {

using Book = std::shared_ptr<algorithms::PlanBook>;

class Shelf {
public:
    Book find(std::uint64_t hash, const topology::Hierarchy& hierarchy, int lanes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto [begin, end] = books_.equal_range(hash);
        for (auto at = begin; at != end; ++at) {
            Book book = at->second.lock();
            if (book != nullptr && book->lanes() == lanes && book->hierarchy() == hierarchy) {
                keep(book);
                return book;
            }
        }
        return nullptr;
    }

    /// Two threads may have made the same: then both keep their own.
    void add(std::uint64_t hash, const Book& book) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::erase_if(books_, [](const auto& entry) { return entry.second.expired(); });
        books_.emplace(hash, book);
        keep(book);
    }

    void clear() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        books_.clear();
        kept_.clear();
    }

private:
    void keep(const Book& book) {
        kept_.remove(book);
        kept_.push_front(book);
        std::size_t bytes = 0;
        for (auto at = kept_.begin(); at != kept_.end();) {
            bytes += (*at)->memory();
            at = bytes > kept_bytes ? kept_.erase(at) : std::next(at);
        }
    }

    std::mutex mutex_;
    std::unordered_multimap<std::uint64_t, std::weak_ptr<algorithms::PlanBook>> books_;  // by hash
    std::list<Book> kept_;  // the one used last first
};

Shelf& shelf() {
    static Shelf all;
    return all;
}

}  // namespace

Book make_plans(topology::Hierarchy hierarchy, const CommunicatorSettings& settings, int lanes) {
    return std::make_shared<algorithms::PlanBook>(std::move(hierarchy), settings,
                                                  settings.hierarchy.has_value(), lanes);
}

Book shared_plans(topology::Hierarchy hierarchy, const Settings& job, int lanes) {
    const std::uint64_t hash = topology::hash_of(hierarchy);
    Book book = shelf().find(hash, hierarchy, lanes);
    if (book == nullptr) {
        book = make_plans(std::move(hierarchy), job, lanes);
        shelf().add(hash, book);
    }
    return book;
}

void release_shared_plans() noexcept { shelf().clear(); }

}  // namespace strata::component
