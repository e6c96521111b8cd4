// Collectives over boards: all ranks in one thread in a random order of turns, and a thread per rank.
#include "algorithms/engines/node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "random.h"
#include "reduce_operators.h"

namespace node_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

class Elements final : public Reduction {
public:
    explicit Elements(Operator op) : Reduction(bytes_of(op)), op_(op) {}
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        apply(op_, left, right, bytes / element_bytes());
        return 0;
    }

private:
    Operator op_;
};

enum class What : std::uint8_t { barrier, bcast, reduce, allreduce, allgather, gather, scatter };

bool has_blocks(What what) { return what >= What::allgather; }

struct Call {
    What what = What::barrier;
    int root = 0;
    Operator op = Operator::sum_8;
    std::size_t elements = 0;
    bool in_place = false;
    std::size_t more = 0;  ///< bytes that a rank's block has more than that of the rank below

    std::size_t block_bytes(int rank) const {
        return elements * bytes_of(op) + more * static_cast<std::size_t>(rank);
    }
};
std::byte in_block(int rank, std::size_t place) {
    return static_cast<std::byte>(static_cast<std::size_t>(rank + 1) * 37 + place * 11);
}

/// Sizes on both sides of what fits beside a number, of what is combined by slices, and of a board.
std::size_t random_bytes(Random& random) {
    switch (random.below(6)) {
        case 0: return random.below(8);
        case 1: return Board::line_bytes - 16 + random.below(20);
        case 2: return random.below(20000);
        case 3: return Board::most_bytes - 20 + random.below(40);
        case 4: return random.below(3 * Board::most_bytes);
        default: return random.below(200);
    }
}

std::vector<Call> random_calls(Random& random, int ranks, int count) {
    std::vector<Call> calls;
    for (int i = 0; i < count; ++i) {
        Call call;
        call.what = static_cast<What>(random.below(7));
        call.root = random.between(0, ranks - 1);
        call.op = all_operators[random.below(std::size(all_operators))];
        call.elements = random_bytes(random) / bytes_of(call.op);
        call.in_place = random.percent(50);
        call.more = call.what == What::allgather || call.what == What::gather ? random.below(20) : 0;
        calls.push_back(call);
    }
    return calls;
}

/// x0 op (x1 op (... xk-1)).
std::vector<std::byte> combined(const Call& call, int ranks) {
    std::vector<std::byte> result = contribution(call.op, call.elements, ranks - 1);
    for (int rank = ranks - 2; rank >= 0; --rank)
        apply(call.op, contribution(call.op, call.elements, rank).data(), result.data(), call.elements);
    return result;
}

/// One rank, which makes one call after the other.
class Rank {
public:
    Rank(std::span<Board> boards, int rank, Boards::Waiting waiting)
        : boards_(static_cast<int>(boards.size()), rank, waiting), ranks_(boards_.ranks()), rank_(rank) {
        boards_.use(boards);
    }

    /// `guard`: bytes behind the call's buffers.
    Task begin(const Call& call, std::size_t guard = 0) {
        if (has_blocks(call.what)) return begin_blocks(call);
        data_ = contribution(call.op, call.elements, call.what == What::bcast ? call.root : rank_);
        own_ = data_;
        if (call.what == What::bcast && rank_ != call.root) own_.assign(own_.size(), std::byte{0xee});
        const std::size_t bytes = own_.size();
        own_.resize(bytes + guard, guard_value);
        result_.assign(own_.size(), guard_value);
        own_buffer_.emplace(own_.data(), bytes);
        result_buffer_.emplace(call.in_place ? own_.data() : result_.data(), bytes);
        elements_.emplace(call.op);
        const bool due = call.what == What::allreduce || rank_ == call.root;
        const ReduceBuffers buffers{*own_buffer_, due ? &*result_buffer_ : nullptr};
        switch (call.what) {
            case What::barrier: return node_barrier(boards_, arena_);
            case What::bcast: return node_bcast(boards_, call.root, *own_buffer_, arena_);
            case What::reduce: return node_reduce(boards_, call.root, buffers, *elements_, arena_);
            default: break;
        }
        return node_allreduce(boards_, buffers, *elements_, arena_);
    }
    /// Returns true if the bytes behind the buffers are unchanged.
    bool guarded(const Call& call) const {
        if (has_blocks(call.what)) return kept_between_blocks();
        const auto kept = [&](const std::vector<std::byte>& buffer) {
            const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(call.elements * bytes_of(call.op));
            return std::all_of(end, buffer.end(), [](std::byte value) { return value == guard_value; });
        };
        return kept(own_) && kept(result_);
    }
    /// Returns what is wrong after a call; empty: nothing.
    std::string end(const Call& call) {
        arena_.reset();
        if (has_blocks(call.what)) return has_right_blocks(call) ? "" : "wrong blocks";
        const bool due = call.what == What::allreduce || (call.what == What::reduce && rank_ == call.root);
        if (due && (call.in_place ? own_ : result_) != combined(call, ranks_)) return "wrong result";
        if (!due && call.what != What::barrier && own_ != data_) return "wrong data";
        return {};
    }

private:
    static constexpr std::byte guard_value{0xdd};
    static constexpr std::size_t gap = 5;  ///< bytes behind each block

    bool starts_with(const Call& call, int owner) const {
        return call.what == What::scatter ? rank_ == call.root : owner == rank_;
    }
    bool ends_with(const Call& call, int owner) const {
        if (call.what == What::allgather) return true;
        return call.what == What::gather ? rank_ == call.root : owner == rank_;
    }
    Task begin_blocks(const Call& call) {
        memory_.clear();
        std::vector<std::size_t> places;
        for (int owner = 0; owner < ranks_; ++owner) {
            places.push_back(memory_.size());
            for (std::size_t i = 0; i < call.block_bytes(owner); ++i)
                memory_.push_back(starts_with(call, owner) ? in_block(owner, i) : std::byte{0xee});
            memory_.resize(memory_.size() + gap, guard_value);
        }
        blocks_.clear();
        for (int owner = 0; owner < ranks_; ++owner)
            blocks_.push_back(
                {memory_.data() + places[static_cast<std::size_t>(owner)], call.block_bytes(owner)});
        switch (call.what) {
            case What::allgather: return node_allgather(boards_, blocks_, arena_);
            case What::gather: return node_gather(boards_, call.root, blocks_, arena_);
            default: return node_scatter(boards_, call.root, blocks_, arena_);
        }
    }
    bool kept_between_blocks() const {
        return std::ranges::all_of(blocks_, [](const Block& block) {
            return std::all_of(block.data + block.bytes, block.data + block.bytes + gap,
                               [](std::byte value) { return value == guard_value; });
        });
    }
    bool has_right_blocks(const Call& call) const {
        for (int owner = 0; owner < ranks_; ++owner) {
            const Block& block = blocks_[static_cast<std::size_t>(owner)];
            for (std::size_t i = 0; i < block.bytes && ends_with(call, owner); ++i) {
                if (block.data[i] != in_block(owner, i)) return false;
            }
        }
        return kept_between_blocks();
    }

    std::vector<std::byte> memory_;
    std::vector<Block> blocks_;
    Boards boards_;
    int ranks_;
    int rank_;
    Arena arena_;
    std::vector<std::byte> data_;
    std::vector<std::byte> own_;
    std::vector<std::byte> result_;
    std::optional<PackedBuffer> own_buffer_;
    std::optional<PackedBuffer> result_buffer_;
    std::optional<Elements> elements_;
};

std::vector<Board> boards_for(int ranks) { return std::vector<Board>(static_cast<std::size_t>(ranks)); }

TEST(Node, EveryOrderOfTurnsGivesTheSameResults) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const int ranks = random.between(1, 6);
        std::vector<Board> boards = boards_for(ranks);
        const std::vector<Call> calls = random_calls(random, ranks, 20);
        struct Turn {
            std::unique_ptr<Rank> rank;
            std::unique_ptr<Task> task;
            std::size_t next = 0;
        };
        std::vector<Turn> turns(static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank)
            turns[static_cast<std::size_t>(rank)].rank =
                std::make_unique<Rank>(boards, rank, Boards::Waiting{1});
        int left = ranks;
        for (int step = 0; left > 0; ++step) {
            ASSERT_LT(step, 1000000) << "hangs, seed " << seed;
            Turn& turn = turns[random.below(turns.size())];
            if (turn.next == calls.size()) continue;
            const Call& call = calls[turn.next];
            if (turn.task == nullptr) {
                turn.task = std::make_unique<Task>(turn.rank->begin(call));
                turn.task->start();
            } else {
                turn.task->progress();
            }
            if (!turn.task->done()) continue;
            ASSERT_EQ(turn.task->outcome(), 0);
            turn.task.reset();
            ASSERT_EQ(turn.rank->end(call), "") << "seed " << seed << ", call " << turn.next;
            if (++turn.next == calls.size()) --left;
        }
    }
}

TEST(Node, ThreadsGetTheSameResults) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const int ranks = random.between(2, 5);
        std::vector<Board> boards = boards_for(ranks);
        const std::vector<Call> calls = random_calls(random, ranks, 60);
        std::vector<std::string> problems(static_cast<std::size_t>(ranks));
        std::vector<std::thread> threads;
        for (int r = 0; r < ranks; ++r) {
            threads.emplace_back([&, r] {
                Rank rank(boards, r, {3, [] { std::this_thread::yield(); }});
                for (const Call& call : calls) {
                    const int code = rank.begin(call).run();
                    const std::string wrong = rank.end(call);
                    if (code != 0 || !wrong.empty()) problems[static_cast<std::size_t>(r)] = "call: " + wrong;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(problems, std::vector<std::string>(problems.size())) << "seed " << seed;
    }
}

/// After calls whose ranks disagree about the size, in one step or several, directly or by slices, all ranks
/// are at the same step, and nothing was written beyond a buffer.
TEST(Node, RanksThatDisagreeGoOnTogether) {
    constexpr std::size_t guard = 64;
    const std::size_t sizes[] = {16, 6000, 30000, Board::most_bytes, 3 * Board::most_bytes};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const int ranks = random.between(2, 5);
        const auto what = static_cast<What>(random.between(1, 6));
        const int root = random.between(0, ranks - 1);
        std::vector<std::size_t> bytes;
        for (int r = 0; r < ranks; ++r) bytes.push_back(sizes[random.below(std::size(sizes))]);
        std::vector<Board> boards = boards_for(ranks);
        std::vector<int> codes(bytes.size());
        std::vector<std::string> problems(bytes.size());
        std::vector<std::thread> threads;
        for (int r = 0; r < ranks; ++r) {
            threads.emplace_back([&, r] {
                const auto place = static_cast<std::size_t>(r);
                Rank rank(boards, r, {3, [] { std::this_thread::yield(); }, 77});
                Call call{what, root, Operator::sum_8, bytes[place], false};
                codes[place] = rank.begin(call, guard).run();
                if (!rank.guarded(call)) problems[place] = "written beyond the buffer";
                call.elements = 500;
                rank.begin(call).run();
                if (problems[place].empty()) problems[place] = rank.end(call);
            });
        }
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(problems, std::vector<std::string>(problems.size())) << "seed " << seed;
        const std::size_t sent = bytes[static_cast<std::size_t>(root)];
        for (std::size_t r = 0; r < bytes.size(); ++r) {
            const bool differ =
                std::ranges::any_of(bytes, [&](std::size_t other) { return other != bytes[r]; });
            const bool from_root = what == What::bcast || what == What::scatter;
            const bool to_root = what == What::reduce || what == What::gather;
            if (!to_root || static_cast<int>(r) == root) {
                EXPECT_EQ(codes[r], (from_root ? sent > bytes[r] : differ) ? 77 : 0) << "seed " << seed;
            }
        }
    }
}

/// Returns the bytes that each rank combines in an Allreduce, or in a Reduce to rank 0.
std::vector<std::size_t> combined_bytes(int ranks, std::size_t bytes, bool all) {
    class Counted final : public Reduction {
    public:
        explicit Counted(std::size_t& sum) : Reduction(8), sum_(sum) {}
        int combine(const std::byte*, std::byte*, std::size_t count) override {
            sum_ += count;
            return 0;
        }

    private:
        std::size_t& sum_;
    };
    std::vector<Board> boards = boards_for(ranks);
    std::vector<std::size_t> sums(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
            Boards own(static_cast<int>(boards.size()), r, {3, [] { std::this_thread::yield(); }});
            own.use(boards);
            Arena arena;
            std::vector<std::byte> data(bytes);
            std::vector<std::byte> sum(bytes);
            PackedBuffer from(data.data(), bytes);
            PackedBuffer to(sum.data(), bytes);
            Counted reduction(sums[static_cast<std::size_t>(r)]);
            const ReduceBuffers buffers{from, all || r == 0 ? &to : nullptr};
            if (all) {
                node_allreduce(own, buffers, reduction, arena).run();
            } else {
                node_reduce(own, 0, buffers, reduction, arena).run();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return sums;
}

TEST(Node, RanksShareTheWorkOfLongVectors) {
    using Bytes = std::vector<std::size_t>;
    for (const bool all : {true, false}) {
        // By slices: each rank (k - 1) n / k.
        EXPECT_EQ(combined_bytes(4, 1 << 20, all), Bytes(4, 3 << 18));
        EXPECT_EQ(combined_bytes(4, 4096, all), Bytes(4, 3 << 10));
        EXPECT_EQ(combined_bytes(3, 24, all)[0], 48U) << "short: (k - 1) n";
        EXPECT_EQ(combined_bytes(2, 1 << 20, all)[0], 1U << 20) << "two ranks: (k - 1) n";
    }
    EXPECT_EQ(combined_bytes(3, 24, true), Bytes(3, 48));
    EXPECT_EQ(combined_bytes(3, 24, false), (Bytes{48, 0, 0}));
}

/// A rank whose buffers fail completes all steps, because others wait for it.
TEST(Node, ErrorsStayWithTheirRank) {
    class Failing final : public PackedBuffer {
    public:
        using PackedBuffer::PackedBuffer;
        int produce(std::size_t) override { return 42; }
    };
    std::vector<Board> boards = boards_for(2);
    std::array<int, 2> codes{};
    std::vector<std::thread> threads;
    for (int r = 0; r < 2; ++r) {
        threads.emplace_back([&, r] {
            Boards own(static_cast<int>(boards.size()), r, {3, [] { std::this_thread::yield(); }});
            own.use(boards);
            Arena arena;
            std::vector<std::byte> data(3 * Board::most_bytes);
            std::vector<std::byte> sum(data.size());
            PackedBuffer good(data.data(), data.size());
            Failing bad(data.data(), data.size());
            PackedBuffer result(sum.data(), sum.size());
            Elements elements(Operator::sum_32);
            const ReduceBuffers buffers{r == 0 ? bad : good, &result};
            codes[static_cast<std::size_t>(r)] = node_allreduce(own, buffers, elements, arena).run();
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(codes, (std::array<int, 2>{42, 0}));
}

}  // namespace
}  // namespace node_test
