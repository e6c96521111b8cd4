#include <algorithm>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/fan_in.h"
#include "algorithms/engines/fan_out.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/ring_cut.h"

namespace strata::algorithms {
namespace {

/// One member's part of the ring. It combines partial results from its predecessor with its own, which
/// grows from its start, and sends them to its successor; final results follow.
///
/// The member's own partial result lies in `result` if its subtree has been combined there, or if `result`
/// shares its memory with `own`; it then receives the ring's partial results in slots aside. A member without
/// a subtree and with separate memory receives straight into `result` and combines `own` into that.
///
/// No deadlock: all members order all messages by round, step and piece. A message needs (a) the same
/// piece of the step before, received and combined; (b) the earlier messages of its edge; (c) memory to
/// receive into: a slot, free once an earlier message is combined, or the place of a piece in `result`,
/// free once the partial result from there, sent k - 1 steps before, is received; (d) the partial result
/// of its own subtree, which waits for nothing in the ring. All of these come earlier in the order.
class RingMember {
public:
    RingMember(StreamTable& table, const ExchangeLinks& links, const RingCut& cut, ReduceBuffers buffers,
               bool own_only, Reduction& reduction, Arena& arena, int window)
        : table_(table),
          cut_(cut),
          position_(links.position),
          own_(own_only && buffers.own.data() != buffers.result->data() ? buffers.own.data() : nullptr),
          result_(buffers.result->data()),
          reduction_(reduction),
          to_send_(cut, position_),
          sent_(to_send_),
          to_receive_(cut, before(position_)),
          taken_(to_receive_) {
        window = std::max(window, links.window);
        out_ = table.add(peer(links, position_ + 1), Segments(to_send_.left(), 1), window);
        in_ = table.add(peer(links, position_ - 1), Segments(to_receive_.left(), 1), window);
        if (own_ == nullptr) {
            slots_ = std::min(static_cast<std::size_t>(std::max(1, window)), cut.most_combines());
            stride_ = Arena::rounded(cut.most());
            aside_ = arena.take(slots_ * stride_);
        }
    }

    /// Advances as far as messages and `local` allow. local(end, ready) sets `ready` to whether the
    /// partial result of this subtree is complete up to byte `end`.
    template <typename Local>
    int advance(Local&& local) {
        int code = post();
        code = code == 0 ? send(local) : code;
        for (bool took = true; took && code == 0;) {
            took = false;
            code = take(local, took);
            if (took && code == 0) {
                code = post();
                code = code == 0 ? send(local) : code;
            }
        }
        return code;
    }

    /// Returns the bytes of the result, from its start, that are final.
    std::size_t finished() const {
        const auto& [round, step, piece] = taken_.place();
        // The first final chunk of a round follows this member's own chunk; then come its predecessors,
        // down to 0.
        const int last = cut_.members() - 1;
        const int chunk = (position_ + 1) % cut_.members();
        const int needed = position_ == last ? last : last + position_ + 1;
        if (step < needed) {
            return cut_.begin(round);
        }
        return cut_.piece(round, chunk, cut_.pieces(round) - 1).end;
    }

private:
    int before(int position) const { return position == 0 ? cut_.members() - 1 : position - 1; }
    static int peer(const ExchangeLinks& links, int position) {
        return links.core[(static_cast<std::size_t>(position) + links.core.size()) % links.core.size()];
    }
    std::byte* slot(std::size_t number) const { return aside_ + number % slots_ * stride_; }

    /// Posts receives in order, as far as memory is free.
    int post() {
        for (; sent_count_ < table_.finished(out_); ++sent_count_) {
            sent_.next();
        }
        int code = 0;
        while (code == 0 && table_.may_start(in_)) {
            const RingCut::Range range = to_receive_.range();
            std::byte* data = result_ + range.begin;
            if (to_receive_.combines() && own_ == nullptr) {
                if (posted_combines_ == taken_combines_ + slots_) {
                    break;
                }
                data = slot(posted_combines_++);
            } else if (!to_receive_.combines() && !may_overwrite()) {
                break;
            }
            code = table_.receive_next(in_, data, range.bytes());
            to_receive_.next();
        }
        return code;
    }

    /// Returns true if the partial result at the place of the next final one has been sent.
    bool may_overwrite() const {
        RingSequence::Place partial = to_receive_.place();
        partial.step -= cut_.members() - 1;
        return sent_.place() > partial;
    }

    template <typename Local>
    int send(Local& local) {
        int code = 0;
        while (code == 0 && table_.may_start(out_)) {
            const RingSequence::Place& place = to_send_.place();
            const RingCut::Range range = to_send_.range();
            bool ready = true;
            if (place.step == 0) {
                code = local(range.end, ready);
            } else {
                ready = taken_.place() > RingSequence::Place{place.round, place.step - 1, place.piece};
            }
            if (code != 0 || !ready) {
                break;
            }
            const std::byte* const from = place.step == 0 && own_ != nullptr ? own_ : result_;
            code = table_.send_next(out_, from + range.begin, range.bytes());
            to_send_.next();
        }
        return code;
    }

    /// Processes the next message that has arrived.
    template <typename Local>
    int take(Local& local, bool& took) {
        if (taken_.ended() || taken_count_ == table_.finished(in_)) {
            return 0;
        }
        if (taken_.combines()) {
            const RingCut::Range range = taken_.range();
            bool ready = true;
            int code = local(range.end, ready);
            if (code != 0 || !ready) {
                return code;
            }
            std::byte* const here = result_ + range.begin;
            code = own_ != nullptr ? reduction_.combine(own_ + range.begin, here, range.bytes())
                                   : reduction_.combine(slot(taken_combines_++), here, range.bytes());
            if (code != 0) {
                return code;
            }
        }
        taken_.next();
        ++taken_count_;
        took = true;
        return 0;
    }

    StreamTable& table_;
    const RingCut& cut_;
    int position_;
    const std::byte* own_;  ///< nullptr: this member's operand lies in result_
    std::byte* result_;
    Reduction& reduction_;
    RingSequence to_send_;
    RingSequence sent_;        ///< first message whose send is not complete
    RingSequence to_receive_;  ///< first message whose receive is not posted
    RingSequence taken_;       ///< first message that is not processed
    int out_ = -1;
    int in_ = -1;
    std::byte* aside_ = nullptr;
    std::size_t slots_ = 0;
    std::size_t stride_ = 0;
    std::size_t sent_count_ = 0;
    std::size_t taken_count_ = 0;
    std::size_t posted_combines_ = 0;
    std::size_t taken_combines_ = 0;
};

/// `co_await`: a member of the ring and the subtree below it, with one wait for all streams.
class RingAllreduce : public Awaitable<RingAllreduce> {
public:
    RingAllreduce(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena, int window)
        : own_(buffers.own),
          result_(*buffers.result),
          segments_(tree_segments(links, buffers.own.bytes(), reduction.element_bytes())),
          cut_(buffers.own.bytes(), reduction.element_bytes(), links.segment_bytes,
               static_cast<int>(links.core.size()), std::max(window, links.window)),
          table_(transport, 2 * links.below.children.size() + 2, &arena),
          down_(table_, result_.data()) {
        const bool alone = links.below.children.empty();
        if (!alone) {
            up_.emplace(table_, links.below, segments_, buffers, reduction, arena, window, &arena);
        }
        for (const TreeLinks::Edge& edge : widest_first(links.below.children, arena)) {
            down_.add(edge.peer, segments_, edge.in_flight(window));
        }
        ring_.emplace(table_, links, cut_, buffers, alone, reduction, arena, window);
    }

    int poll() {
        int code = 0;
        if (!begun_) {
            begun_ = true;
            code = start();
        }
        while (code == 0 && table_.pending()) {
            code = step();
        }
        return code;
    }

private:
    static Segments tree_segments(const ExchangeLinks& links, std::size_t bytes, std::size_t element_bytes) {
        const Segments segments = reduction_segments(links.below, bytes, element_bytes);
        if (!links.below.children.empty() &&
            links.below.children.front().segment_bytes != links.segment_bytes) {
            throw std::invalid_argument("a ring and the tree below it differ in their segment size");
        }
        return segments;
    }

    int start() {
        int code = table_.open(Transport::Completion::matched);
        if (code == 0 && up_) {
            code = up_->start();
        }
        return code == 0 ? advance() : code;
    }

    /// Handles final segments first: other ranks wait for them, and sending them on takes no time.
    int step() {
        int code = table_.wait();
        code = code == 0 ? advance() : code;
        if (!up_ || code != 0) {
            return code;
        }
        for (const int stream : table_.completed()) {
            code = code == 0 && up_->owns(stream) ? up_->completed(stream) : code;
        }
        code = code == 0 ? up_->look_ahead() : code;
        return code == 0 ? advance() : code;
    }

    int advance() {
        int code = ring_->advance([this](std::size_t end, bool& ready) { return local(end, ready); });
        const std::size_t finished = ring_->finished();
        code = code == 0 ? down_.feed(finished) : code;
        if (code == 0 && finished > consumed_) {
            consumed_ = finished;
            code = result_.consume(consumed_);
        }
        return code;
    }

    /// Produces the contribution of this rank and its subtree up to `end`.
    int local(std::size_t end, bool& ready) {
        if (up_) {
            ready = segments_.prefix(up_->finished()) >= end;
            return 0;
        }
        if (end <= produced_) {
            return 0;
        }
        produced_ = end;
        return own_.produce(end);
    }

    PackedBuffer& own_;
    PackedBuffer& result_;
    Segments segments_;
    RingCut cut_;
    StreamTable table_;
    std::optional<FanIn> up_;
    FanOut down_;
    std::optional<RingMember> ring_;
    std::size_t produced_ = 0;
    std::size_t consumed_ = 0;
    bool begun_ = false;
};

Task run_ring(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers, Reduction& reduction,
              Arena& arena, int window) {
    RingAllreduce ring(transport, links, buffers, reduction, arena, window);
    co_return co_await ring;
}

}  // namespace

Task allreduce_ring(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return Task(0);
    }
    if (links.core.size() < 2) {  // below the ring, or alone in it
        return allreduce_tree(transport, links.below, buffers, reduction, arena, window);
    }
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    return run_ring(transport, links, buffers, reduction, arena, window);
}

}  // namespace strata::algorithms
