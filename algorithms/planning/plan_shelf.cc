#include "algorithms/planning/plan_shelf.h"

#include <iterator>

namespace strata::algorithms {
namespace {

constexpr std::size_t least_to_forget = 64;

}  // namespace

PlanShelf::Book PlanShelf::find(std::uint64_t hash, const topology::Hierarchy& hierarchy,
                                int lanes) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [begin, end] = books_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        Book book = at->second.lock();
        if (book == nullptr || book->lanes() != lanes || book->hierarchy() != hierarchy) continue;
        try {
            keep(book);
        } catch (...) {  // then it goes with the last communicator that has it
        }
        return book;
    }
    return nullptr;
}

void PlanShelf::add(std::uint64_t hash, const Book& book) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    forget_expired();
    try {
        books_.emplace(hash, book);
        keep(book);
    } catch (...) {  // then nobody else has it
    }
}

void PlanShelf::give_back(const Book& book) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = places_.find(book.get()); known != places_.end()) use(known->second);
}

void PlanShelf::clear() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    books_.clear();
    places_.clear();
    kept_.clear();
    bytes_ = 0;
}

std::size_t PlanShelf::bytes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
}

void PlanShelf::keep(const Book& book) {
    if (const auto known = places_.find(book.get()); known != places_.end()) return use(known->second);
    kept_.push_front({book, 0});
    try {
        places_.emplace(book.get(), kept_.begin());
    } catch (...) {
        kept_.pop_front();
        throw;
    }
    use(kept_.begin());
}

/// As the one used last; those used least recently go.
void PlanShelf::use(Place one) noexcept {
    kept_.splice(kept_.begin(), kept_, one);
    bytes_ -= one->bytes;
    one->bytes = one->book->memory();
    bytes_ += one->bytes;
    if (kept_.size() > 1 && std::next(one)->bytes > kept_bytes_) drop(std::next(one));
    while (bytes_ - one->bytes > kept_bytes_) drop(std::prev(kept_.end()));
}

void PlanShelf::drop(Place one) noexcept {
    bytes_ -= one->bytes;
    places_.erase(one->book.get());
    kept_.erase(one);
}

void PlanShelf::forget_expired() noexcept {
    if (books_.size() < expired_after_) return;
    std::erase_if(books_, [](const auto& entry) { return entry.second.expired(); });
    expired_after_ = least_to_forget + 2 * books_.size();
}

}  // namespace strata::algorithms
