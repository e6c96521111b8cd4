#include "collective_operations.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "payload.h"

namespace bench {

namespace {

struct Blocks : Parts {
    std::uint64_t total() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }
    std::span<char> of(std::vector<char>& whole, int rank) const {
        const auto place = static_cast<std::size_t>(rank);
        return {whole.data() + displacements[place], static_cast<std::size_t>(counts[place])};
    }
};

// Equal parts; rounds the whole up to a multiple of the number of ranks.
Blocks equal_blocks(std::uint64_t size, int ranks) {
    const auto count = static_cast<std::uint64_t>(ranks);
    const std::uint64_t each = (size + count - 1) / count;
    Blocks blocks;
    for (std::uint64_t rank = 0; rank < count; ++rank) {
        blocks.counts.push_back(static_cast<int>(each));
        blocks.displacements.push_back(static_cast<int>(rank * each));
    }
    return blocks;
}

// Parts in the ratio 1 : 2 : 3 : 1 : 2 : 3 ... by rank. A small whole has empty parts.
Blocks unequal_blocks(std::uint64_t size, int ranks) {
    const auto weight_before = [](std::uint64_t rank) {
        return rank / 3 * 6 + std::array<std::uint64_t, 3>{0, 1, 3}[rank % 3];
    };
    const auto count = static_cast<std::uint64_t>(ranks);
    const auto start_of = [&](std::uint64_t rank) {
        return static_cast<int>(size * weight_before(rank) / weight_before(count));
    };
    Blocks blocks;
    for (std::uint64_t rank = 0; rank < count; ++rank) {
        blocks.displacements.push_back(start_of(rank));
        blocks.counts.push_back(start_of(rank + 1) - start_of(rank));
    }
    return blocks;
}

class Bcast : public Collective {
public:
    Bcast(std::uint64_t size, Calls& calls) : Collective(calls), buffer_(size) {}

    void fill_in(std::uint64_t repetition, int root) override {
        if (calls_->rank() == root) {
            fill(buffer_, Pattern(repetition));
        } else {
            spoil(buffer_, Pattern(repetition));
        }
    }
    void call(int root) override { calls_->bcast(buffer_.data(), static_cast<int>(buffer_.size()), root); }
    std::int64_t wrong_bytes(std::uint64_t repetition, int /*root*/) override {
        return bench::wrong_bytes(buffer_, Pattern(repetition));
    }
    std::uint64_t bytes() const override { return buffer_.size(); }

private:
    std::vector<char> buffer_;
};

// Reduce and Allreduce: the sum of doubles. Rank r contributes multiples of its factor, so that the sum
// holds the same multiples of the sum of all factors. The factors follow no pattern, so that a missing
// rank cannot be hidden by one that is counted twice.
class Reduction : public Collective {
public:
    Reduction(std::uint64_t size, Calls& calls, bool everywhere)
        : Collective(calls),
          everywhere_(everywhere),
          own_((size + sizeof(double) - 1) / sizeof(double)),
          sum_(own_.size()) {
        for (int other = 0; other < calls.size(); ++other) factors_ += factor_of(other);
    }

    void fill_in(std::uint64_t repetition, int /*root*/) override {
        fill(bytes_of(own_), Multiples(repetition, factor_of(calls_->rank())));
        spoil(bytes_of(sum_), Multiples(repetition, factors_));
    }
    void call(int root) override {
        if (everywhere_) {
            calls_->allreduce(own_.data(), sum_.data(), static_cast<int>(own_.size()));
        } else {
            calls_->reduce(own_.data(), awaits_me(root) ? sum_.data() : nullptr,
                           static_cast<int>(own_.size()), root);
        }
    }
    std::int64_t wrong_bytes(std::uint64_t repetition, int root) override {
        return awaits_me(root) ? bench::wrong_bytes(bytes_of(sum_), Multiples(repetition, factors_)) : 0;
    }
    int awaited(int root) const override { return everywhere_ ? Conductor::all_ranks : root; }
    std::uint64_t bytes() const override { return own_.size() * sizeof(double); }

private:
    static std::span<char> bytes_of(std::vector<double>& numbers) {
        return {reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(double)};
    }
    static std::uint64_t factor_of(int rank) {
        return 1 + (mix(static_cast<std::uint64_t>(rank) + 1) & 0xFFFF);
    }

    bool everywhere_;
    std::uint64_t factors_ = 0;  // of all ranks
    std::vector<double> own_, sum_;
};

// Gather, Gatherv, Allgather and Allgatherv: the chunks of all ranks arrive in the whole.
class Gathering : public Collective {
public:
    Gathering(Blocks blocks, Calls& calls, bool everywhere, bool unequal)
        : Collective(calls),
          everywhere_(everywhere),
          unequal_(unequal),
          blocks_(std::move(blocks)),
          own_(static_cast<std::size_t>(blocks_.counts[static_cast<std::size_t>(calls.rank())])),
          whole_(blocks_.total()) {}

    void fill_in(std::uint64_t repetition, int /*root*/) override {
        fill(own_, pattern(repetition, calls_->rank()));
        for (int owner = 0; owner < calls_->size(); ++owner) {
            spoil(blocks_.of(whole_, owner), pattern(repetition, owner));
        }
    }
    void call(int root) override {
        const int each = static_cast<int>(own_.size());
        char* const whole = awaits_me(root) ? whole_.data() : nullptr;
        if (everywhere_) {
            unequal_ ? calls_->allgatherv(own_.data(), blocks_, whole)
                     : calls_->allgather(own_.data(), each, whole);
        } else {
            unequal_ ? calls_->gatherv(own_.data(), blocks_, whole, root)
                     : calls_->gather(own_.data(), each, whole, root);
        }
    }
    std::int64_t wrong_bytes(std::uint64_t repetition, int root) override {
        std::int64_t wrong = 0;
        for (int owner = 0; owner < calls_->size() && awaits_me(root); ++owner) {
            wrong += bench::wrong_bytes(blocks_.of(whole_, owner), pattern(repetition, owner));
        }
        return wrong;
    }
    int awaited(int root) const override { return everywhere_ ? Conductor::all_ranks : root; }
    std::uint64_t bytes() const override { return whole_.size(); }

private:
    static Pattern pattern(std::uint64_t repetition, int owner) {
        return Pattern(repetition, static_cast<std::uint64_t>(owner));
    }

    bool everywhere_, unequal_;
    Blocks blocks_;
    std::vector<char> own_, whole_;
};

// Scatter and Scatterv: every rank receives its chunk of the root's whole.
class Scattering : public Collective {
public:
    Scattering(Blocks blocks, Calls& calls, bool unequal)
        : Collective(calls),
          unequal_(unequal),
          blocks_(std::move(blocks)),
          own_(static_cast<std::size_t>(blocks_.counts[static_cast<std::size_t>(calls.rank())])),
          whole_(blocks_.total()) {}

    void fill_in(std::uint64_t repetition, int root) override {
        for (int owner = 0; owner < calls_->size() && calls_->rank() == root; ++owner) {
            fill(blocks_.of(whole_, owner), pattern(repetition, owner));
        }
        spoil(own_, pattern(repetition, calls_->rank()));
    }
    void call(int root) override {
        const char* const whole = calls_->rank() == root ? whole_.data() : nullptr;
        unequal_ ? calls_->scatterv(whole, blocks_, own_.data(), root)
                 : calls_->scatter(whole, static_cast<int>(own_.size()), own_.data(), root);
    }
    std::int64_t wrong_bytes(std::uint64_t repetition, int /*root*/) override {
        return bench::wrong_bytes(own_, pattern(repetition, calls_->rank()));
    }
    std::uint64_t bytes() const override { return whole_.size(); }

private:
    static Pattern pattern(std::uint64_t repetition, int owner) {
        return Pattern(repetition, static_cast<std::uint64_t>(owner));
    }

    bool unequal_;
    Blocks blocks_;
    std::vector<char> own_, whole_;
};

class Barrier : public Collective {
public:
    using Collective::Collective;

    void fill_in(std::uint64_t /*repetition*/, int /*root*/) override {}
    void call(int /*root*/) override { calls_->barrier(); }
    std::int64_t wrong_bytes(std::uint64_t /*repetition*/, int /*root*/) override { return 0; }
    std::uint64_t bytes() const override { return 0; }
};

template <bool everywhere>
std::unique_ptr<Collective> reduction(std::uint64_t size, Calls& calls) {
    return std::make_unique<Reduction>(size, calls, everywhere);
}

template <bool everywhere, bool unequal>
std::unique_ptr<Collective> gathering(std::uint64_t size, Calls& calls) {
    return std::make_unique<Gathering>(
        unequal ? unequal_blocks(size, calls.size()) : equal_blocks(size, calls.size()), calls, everywhere,
        unequal);
}

template <bool unequal>
std::unique_ptr<Collective> scattering(std::uint64_t size, Calls& calls) {
    return std::make_unique<Scattering>(
        unequal ? unequal_blocks(size, calls.size()) : equal_blocks(size, calls.size()), calls, unequal);
}

std::unique_ptr<Collective> bcast(std::uint64_t size, Calls& calls) {
    return std::make_unique<Bcast>(size, calls);
}

std::unique_ptr<Collective> barrier(std::uint64_t /*size*/, Calls& calls) {
    return std::make_unique<Barrier>(calls);
}

constexpr Operation operations[] = {
    {.name = "bcast", .function = "MPI_Bcast", .make = bcast},
    {.name = "reduce", .function = "MPI_Reduce", .make = reduction<false>},
    {.name = "allreduce", .function = "MPI_Allreduce", .make = reduction<true>, .rooted = false},
    {.name = "allgather", .function = "MPI_Allgather", .make = gathering<true, false>, .rooted = false},
    {.name = "allgatherv", .function = "MPI_Allgatherv", .make = gathering<true, true>, .rooted = false},
    {.name = "gather", .function = "MPI_Gather", .make = gathering<false, false>},
    {.name = "gatherv", .function = "MPI_Gatherv", .make = gathering<false, true>},
    {.name = "scatter", .function = "MPI_Scatter", .make = scattering<false>},
    {.name = "scatterv", .function = "MPI_Scatterv", .make = scattering<true>},
    {.name = "barrier", .function = "MPI_Barrier", .make = barrier, .rooted = false, .sized = false},
};

}  // namespace

std::span<const Operation> all_operations() { return operations; }

const Operation& operation_named(std::string_view name) {
    const auto* const found = std::find_if(std::begin(operations), std::end(operations),
                                           [&](const Operation& one) { return one.name == name; });
    if (found == std::end(operations)) throw std::out_of_range("no operation '" + std::string(name) + "'");
    return *found;
}

}  // namespace bench
