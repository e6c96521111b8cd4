#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "operators.h"
#include "typed_layout.h"

// One call of a collective operation, its arguments made up from a few numbers, with a serial oracle: every
// rank computes by itself what every other one contributes, and so what it must get.
namespace strata::testing {

enum class Collective {
    bcast,
    reduce,
    allreduce,
    allgather,
    allgatherv,
    barrier,
    gather,
    gatherv,
    scatter,
    scatterv
};
inline constexpr int collective_count = 10;
/// "bcast", ...
const char* name_of(Collective collective);
bool has_root(Collective collective);
bool reduces(Collective collective);
/// Whether every rank may have a block of another size.
bool has_counts(Collective collective);
std::vector<Collective> all_collectives();
/// "bcast,reduce"; "all". Aborts with the known names at any other word.
std::vector<Collective> parse_collectives(const std::string& text);

struct CollectiveCase {
    Collective collective = Collective::bcast;
    /// Taken modulo the number of ranks, so that also those who are no members can know a case.
    int root = 0;
    bool in_place = false;
    /// All ranks use the plain datatype; otherwise each its own, of equal signature (reductions: the same
    /// derived one).
    bool plain = false;
    /// Where there are no items: count 0, otherwise items without data.
    bool count_zero = false;
    /// Buffers are passed at MPI_BOTTOM, by datatypes of absolute addresses. Only where can_be_at_bottom().
    bool at_bottom = false;
    /// Arguments that this rank's part in the call does not need are nonsense instead of null.
    bool absurd = false;
    /// Also what Open MPI 4.1.4 itself gets wrong: see CaseLimits.
    bool any_types = false;
    /// No messages beside the collective's own, for communicators on which somebody waits for any message:
    /// times and bits are not compared between ranks.
    bool quiet = false;
    ItemKind kind = ItemKind::integer;  ///< moved items
    int items = 0;                      ///< per block (with counts: at most), or reduced values
    std::size_t op = 0;                 ///< of Operators
    std::uint64_t key = 1;              ///< all data follow from it
};

struct CaseLimits {
    std::vector<Collective> collectives = all_collectives();
    /// Bytes that a rank holds in the end, roughly.
    std::size_t bytes = 1 << 20;
    /// Also what MPI allows and Open MPI 4.1.4 gets wrong. It hangs in Allgatherv with send types of
    /// different sizes (coll/tuned multiplies its own send type's size by the receive counts) and where a
    /// rank passes items without data while the root of a v-variant has count 0. It loses data when a rank
    /// copies more than 64 KiB to itself out of items that are one block each with gaps between them. Its
    /// ring Allreduce writes outside of its temporary memory where items do not begin at the buffer's
    /// address. Its Reduce takes MPI_BOTTOM, which is null, for no buffer at all.
    bool any_types = false;
    /// Neither derived datatypes nor MPI_BOTTOM: whether memory is a GPU's Open MPI 5.0.7 finds out at the
    /// buffer's address, and from there on its coll/cuda copies what is reduced, also where items begin
    /// elsewhere. Nor records: it copies each of their elements by itself, which takes minutes where
    /// processes share a GPU.
    bool plain = false;
};

/// Not reductions with predefined operators, which take no derived datatypes, nor those that may be left to
/// Open MPI: see CaseLimits.
bool can_be_at_bottom(const CollectiveCase& what, const Operators& operators);
/// A case for communicators of up to `ranks` ranks.
CollectiveCase random_case(Random& common, int ranks, const Operators& operators, const CaseLimits& limits);
/// For people: "gather to 3, 17 items of kind 1, in place".
std::string describe(const CollectiveCase& what, const Operators& operators);

/// Calls the collective on `comm` and checks this rank's results and that nothing else was written. Returns a
/// fingerprint of the result, the same for every correct implementation, or 0 where there is none (this rank
/// gets nothing, or sums of doubles in any order). Collective; sums in any order and barriers also exchange
/// point-to-point messages on `comm` unless the case is quiet.
std::uint64_t run_case(Session& session, MPI_Comm comm, const CollectiveCase& what,
                       const Operators& operators);

/// A Barrier entered at skewed times: none may leave before the last has entered, by one clock for all ranks.
/// Point-to-point on `comm` afterwards; rank 0 reports.
void checked_barrier(Session& session, MPI_Comm comm, std::uint64_t key);
/// The ranks of `comm` hold equal bits. Point-to-point on `comm`; rank 0 reports.
void expect_equal_on_all(Session& session, MPI_Comm comm, Stream mine);

}  // namespace strata::testing
