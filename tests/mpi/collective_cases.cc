#include "collective_cases.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "case_runners.h"

namespace strata::testing {

namespace {

constexpr std::array<const char*, collective_count> names = {
    "bcast",   "reduce", "allreduce", "allgather", "allgatherv",
    "barrier", "gather", "gatherv",   "scatter",   "scatterv"};

}  // namespace

const char* name_of(Collective collective) { return names[static_cast<std::size_t>(collective)]; }

bool has_root(Collective collective) {
    switch (collective) {
        case Collective::allreduce:
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::barrier: return false;
        default: return true;
    }
}

bool reduces(Collective collective) {
    return collective == Collective::reduce || collective == Collective::allreduce;
}

bool has_counts(Collective collective) {
    return collective == Collective::allgatherv || collective == Collective::gatherv ||
           collective == Collective::scatterv;
}

std::vector<Collective> all_collectives() {
    std::vector<Collective> all;
    for (int i = 0; i < collective_count; ++i) {
        all.push_back(static_cast<Collective>(i));
    }
    return all;
}

std::vector<Collective> parse_collectives(const std::string& text) {
    if (text == "all") {
        return all_collectives();
    }
    std::vector<Collective> chosen;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) {
            std::string known;
            for (const char* name : names) {
                known += std::string(" ") + name;
            }
            std::fprintf(stderr, "unknown collective '%s'; known:%s\n", word.c_str(), known.c_str());
            MPI_Abort(MPI_COMM_WORLD, exit_usage);
        }
        chosen.push_back(static_cast<Collective>(found - names.begin()));
    }
    return chosen;
}

namespace {

std::int64_t random_bytes(Random& common, std::int64_t limit) {
    switch (common.between(0, 9)) {
        case 0: return common.between(60 * 1024 - 40, 60 * 1024 + 40);  // around usual segment sizes
        case 1: return common.between(65536, std::max<std::int64_t>(65536, limit));
        default: return common.between(0, 1 << common.between(1, 14));
    }
}

// Returns whether every rank (or the root) gets as many blocks as there are ranks.
bool has_blocks(Collective collective) {
    return collective != Collective::bcast && collective != Collective::barrier && !reduces(collective);
}

}  // namespace

bool can_be_at_bottom(const CollectiveCase& what, const Operators& operators) {
    if (!reduces(what.collective)) {
        return what.collective != Collective::barrier;
    }
    const Operator& op = operators[what.op];
    int commutes = 0;
    MPI_Op_commutative(op.op, &commutes);
    return what.any_types && op.user() && commutes != 0;
}

CollectiveCase random_case(Random& common, int ranks, const Operators& operators, const CaseLimits& limits) {
    CollectiveCase what;
    what.collective = limits.collectives[static_cast<std::size_t>(
        common.between(0, static_cast<std::int64_t>(limits.collectives.size()) - 1))];
    what.root = static_cast<int>(common.between(0, 1 << 20));
    what.in_place = common.one_in(3);
    what.plain = common.one_in(3) || limits.plain;
    what.count_zero = common.one_in(2);
    what.absurd = common.one_in(2);
    what.any_types = limits.any_types;
    what.kind = static_cast<ItemKind>(common.between(0, item_kind_count - 1));
    if (limits.plain && what.kind == ItemKind::record) {
        what.kind = ItemKind::integer;
    }
    what.op = operators.draw(common);
    what.key = common.next();
    // Every rank computes the contributions of all ranks to a reduction: use fewer elements.
    const auto limit = static_cast<std::int64_t>(reduces(what.collective) ? limits.bytes / 4 : limits.bytes);
    std::int64_t bytes = std::min(random_bytes(common, limit), limit);
    if (has_blocks(what.collective) && (common.one_in(2) || bytes * ranks > 2 * limit)) {
        bytes /= ranks;
    }
    const std::size_t each =
        reduces(what.collective) ? operators[what.op].value_bytes : item_bytes(what.kind);
    what.items =
        static_cast<int>(common.one_in(10) ? common.between(0, 2) : bytes / static_cast<std::int64_t>(each));
    what.at_bottom = common.one_in(5) && !limits.plain && can_be_at_bottom(what, operators);
    return what;
}

std::string describe(const CollectiveCase& what, const Operators& operators) {
    std::string text = name_of(what.collective);
    if (what.collective == Collective::barrier) {
        return text;
    }
    if (has_root(what.collective)) {
        text += ", root " + std::to_string(what.root) + " modulo ranks";
    }
    text += ", " + std::to_string(what.items);
    text += reduces(what.collective) ? " values, " + operators[what.op].name
                                     : " items of kind " + std::to_string(static_cast<int>(what.kind));
    if (what.items == 0) {
        text += what.count_zero ? ", count 0" : ", no data";
    }
    text += what.plain ? ", plain" : ", derived";
    text += what.at_bottom ? ", at MPI_BOTTOM" : "";
    return text + (what.in_place ? ", in place" : "");
}

std::uint64_t run_case(Session& session, MPI_Comm comm, const CollectiveCase& what,
                       const Operators& operators) {
    const Call call(session, comm, what);
    switch (what.collective) {
        case Collective::barrier:
            if (what.quiet) {
                MPI_Barrier(comm);
            } else {
                checked_barrier(session, comm, what.key);
            }
            return 0;
        case Collective::bcast: return run_bcast(call);
        case Collective::reduce:
        case Collective::allreduce: return run_reduction(call, operators);
        case Collective::scatter:
        case Collective::scatterv: return run_scatter(call);
        default: return run_gather(call);
    }
}

}  // namespace strata::testing
