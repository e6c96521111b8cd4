#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>

namespace strata::algorithms {

/// The cuts of a vector for a ring of k members. A round has k chunks, one to begin at each member; a
/// chunk has as many pieces (messages) as the window, so that a member sends one piece on while it
/// receives the next. A piece is a segment of the plan; the last round is cut evenly, its pieces differ by
/// one element at most and may be empty. No message divides an element.
///
///   vector:  [chunk 0 | chunk 1 | .. | chunk k-1] [..] ..    round:  [..]    chunk:  window pieces
class RingCut {
public:
    /// A byte range of the vector.
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t bytes() const { return end - begin; }
        bool empty() const { return begin == end; }
    };

    /// `bytes`: at least 1, in whole elements; `segment_bytes` 0: one piece per chunk, one round.
    RingCut(std::size_t bytes, std::size_t element_bytes, std::size_t segment_bytes, int members, int window)
        : element_(element_bytes),
          elements_(bytes / element_bytes),
          each_(segment_bytes == 0 ? elements_
                                   : std::clamp<std::size_t>(segment_bytes / element_bytes, 1, elements_)),
          members_(static_cast<std::size_t>(members)),
          window_(static_cast<std::size_t>(std::max(1, window))),
          round_(members_ * window_ * each_),
          rounds_((elements_ - 1) / round_ + 1) {}

    int members() const { return static_cast<int>(members_); }
    std::size_t rounds() const { return rounds_; }
    /// Returns the pieces per chunk of a round.
    std::size_t pieces(std::size_t round) const {
        return round + 1 < rounds_ ? window_ : (elements_in(round) - 1) / (members_ * each_) + 1;
    }
    Range piece(std::size_t round, int chunk, std::size_t piece) const {
        const std::size_t all = members_ * pieces(round);
        const std::size_t index = static_cast<std::size_t>(chunk) * pieces(round) + piece;
        return {at(round, index, all), at(round, index + 1, all)};
    }
    /// Returns the bytes before a round; for rounds(): all.
    std::size_t begin(std::size_t round) const { return std::min(round * round_, elements_) * element_; }
    /// Returns the bytes of the largest piece, which is in the first round.
    std::size_t most() const {
        const std::size_t all = members_ * pieces(0);
        return ((elements_in(0) - 1) / all + 1) * element_;
    }
    /// Returns the maximum number of messages that a member combines in one round.
    std::size_t most_combines() const { return (members_ - 1) * pieces(0); }

private:
    std::size_t elements_in(std::size_t round) const { return std::min(round_, elements_ - round * round_); }
    std::size_t at(std::size_t round, std::size_t index, std::size_t all) const {
        return (round * round_ + elements_in(round) * index / all) * element_;
    }

    std::size_t element_;
    std::size_t elements_;
    std::size_t each_;  ///< elements of a full piece
    std::size_t members_;
    std::size_t window_;
    std::size_t round_;  ///< elements of a full round
    std::size_t rounds_;
};

/// The messages that one member sends, or receives, in order. Each round has 2(k-1) steps; step s has the
/// pieces of chunk (first - s) mod k, without empty ones. A member sends from its own chunk on and
/// receives from its predecessor's chunk on: what it receives in step s it sends in step s + 1. The first
/// k-1 steps combine partial results (reduce-scatter), the others pass on final ones (allgather).
///
///   k = 3, chunks sent:  member 0:  0 2 | 1 0    member 1:  1 0 | 2 1    member 2:  2 1 | 0 2
class RingSequence {
public:
    struct Place {
        std::size_t round = 0;
        int step = 0;
        std::size_t piece = 0;
        auto operator<=>(const Place&) const = default;
    };

    RingSequence(const RingCut& cut, int first) : cut_(&cut), first_(first) {
        if (range().empty()) next();
    }

    const Place& place() const { return place_; }
    bool ended() const { return place_.round == cut_->rounds(); }
    bool combines() const { return place_.step < cut_->members() - 1; }
    /// Returns the range of the message at place(); not to be called when ended().
    RingCut::Range range() const { return cut_->piece(place_.round, chunk(), place_.piece); }
    void next() {
        do {
            if (++place_.piece < cut_->pieces(place_.round)) continue;
            place_.piece = 0;
            if (++place_.step < steps()) continue;
            place_.step = 0;
            ++place_.round;
        } while (!ended() && range().empty());
    }
    /// Returns the messages from here to the end. Time: the messages of one round.
    std::size_t left() const {
        RingSequence rest = *this;
        std::size_t messages = 0;
        if (place_ == Place{}) {  // full rounds have no empty pieces
            rest.place_.round = cut_->rounds() - 1;
            messages = rest.place_.round * static_cast<std::size_t>(steps()) * cut_->pieces(0);
            if (rest.range().empty()) rest.next();
        }
        for (; !rest.ended(); rest.next()) ++messages;
        return messages;
    }

private:
    int steps() const { return 2 * (cut_->members() - 1); }
    int chunk() const {
        const int back = first_ - place_.step;  // above -2k
        return (back + 2 * cut_->members()) % cut_->members();
    }

    const RingCut* cut_;
    int first_;
    Place place_;
};

}  // namespace strata::algorithms
