#include "plan_books.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "strata/topology/fact_hash.h"

namespace strata::component {
namespace {

using Book = std::shared_ptr<algorithms::PlanBook>;

/// What it costs to find a book or to add one does not depend on how many there are.
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
        if (books_.size() >= forget_at_) {
            std::erase_if(books_, [](const auto& entry) { return entry.second.expired(); });
            forget_at_ = least_to_forget + 2 * books_.size();
        }
        books_.emplace(hash, book);
        keep(book);
    }

    void clear() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        books_.clear();
        places_.clear();
        kept_.clear();
        bytes_ = 0;
    }

private:
    static constexpr std::size_t least_to_forget = 64;

    struct Kept {
        Book book;
        std::size_t bytes;  ///< when it was last used; it may have more plans by now
    };

    /// As the one used last; those used least recently go.
    void keep(const Book& book) {
        if (const auto known = places_.find(book.get()); known != places_.end()) {
            drop(known->second);
        }
        kept_.push_front({book, book->memory()});
        try {
            places_.emplace(book.get(), kept_.begin());
        } catch (...) {
            kept_.pop_front();
            throw;
        }
        bytes_ += kept_.front().bytes;
        while (bytes_ > kept_bytes) {
            drop(std::prev(kept_.end()));
        }
    }

    void drop(std::list<Kept>::iterator one) {
        bytes_ -= one->bytes;
        places_.erase(one->book.get());
        kept_.erase(one);
    }

    std::mutex mutex_;
    std::unordered_multimap<std::uint64_t, std::weak_ptr<algorithms::PlanBook>> books_;  // by hash
    std::size_t forget_at_ = least_to_forget;  ///< as many books: some may be gone
    std::list<Kept> kept_;                     ///< the one used last first
    std::unordered_map<const algorithms::PlanBook*, std::list<Kept>::iterator> places_;
    std::size_t bytes_ = 0;  ///< of those kept
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
