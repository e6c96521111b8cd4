#pragma once
#include <cstddef>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {

/// The operation of a reduction, on packed elements.
class Reduction {
public:
    explicit Reduction(std::size_t element_bytes) : element_bytes_(element_bytes) {}
    virtual ~Reduction() = default;
    /// Returns the size at whose multiples messages are cut; at least 1.
    std::size_t element_bytes() const { return element_bytes_; }
    /// Computes right[i] = left[i] op right[i]. `bytes` is a multiple of element_bytes(); the operands do
    /// not overlap.
    virtual int combine(const std::byte* left, std::byte* right, std::size_t bytes) = 0;

private:
    std::size_t element_bytes_;
};

/// A rank's contribution and result, packed, of equal size. `own` is produce()d with growing ends before
/// it is read. `result`, nullptr if the rank gets none, is written and then consume()d with growing ends,
/// at last with bytes(). Both may share their memory (MPI_IN_PLACE): each byte is read before it is
/// overwritten.
struct ReduceBuffers {
    PackedBuffer& own;
    PackedBuffer* result;
};

/// Reduces up a tree. A rank combines each segment with those of the children in the order of the links,
/// as they arrive, and sends it on at once, so that all levels overlap; receives run ahead by `window`
/// segments per child. Every edge carries ceil(bytes / segment) messages; 0 bytes: none. The root needs a
/// result.
/// Memory: `window` segments per child, from the arena; a rank without children sends from `own`.
/// Outcome: 0 or the first error of transport, buffers or reduction; the caller then has the transport
/// abandon().
/// Cost: c (d - 1 + m)(alpha + s (beta + gamma)) for m segments of s bytes, depth d and at most c children
/// per rank.
/// Source: the non-blocking pipelined variant of the NUIOA paper (section 4), mirrored.
Task reduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena, int window);

/// reduce_tree() to the root, streamed straight into a broadcast down the same tree: the root returns a
/// segment as soon as it is complete. Every edge carries each segment once in each direction; all ranks
/// get the root's bits. Every rank needs a result.
/// Cost: that of reduce_tree() with twice the depth, on full-duplex links.
Task allreduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window);

/// For long vectors and more than two local roots (the core, k members) on the topmost level: trees below
/// the core, a ring in it. Each round has k chunks of `window` segments: partial results go round and are
/// combined in k-1 steps, final ones follow in k-1 steps (ring_cut.h). A round begins as soon as the trees
/// have brought its part of the vector, and final parts stream down again at once. Every part is combined
/// once, in an order that depends on its place in the vector, and copied to all: equal bits everywhere,
/// only for operations that commute. Otherwise as allreduce_tree().
/// Memory: on a member of the core `window` segments, and as many per child, from the arena; none if it
/// has no children and result and own lie apart.
/// Cost in the core: 2 (k-1) alpha per round, 2 ((k-1)/k) n beta, ((k-1)/k) n gamma; inner members of a
/// chain send 2 n.
/// Source: bandwidth-optimal ring (Patarasuk and Yuan 2009), segmented.
Task allreduce_ring(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window);

/// For short vectors: whole vectors up the trees below the core, recursive doubling in the core, whole
/// vectors down again. If the number k of members is no power of two, the first 2r form pairs before and
/// after. The left operand is always the partial result of the lower positions, so that all ranks get
/// equal bits and the order of the positions is kept.
/// Cost in the core: (log2 k)(alpha + n (beta + gamma)), plus 2 (alpha + n beta) + n gamma for pairs.
Task allreduce_exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                        Reduction& reduction, Arena& arena);
/// The same with empty messages: no rank leaves before all ranks have entered.
Task barrier_exchange(Transport& transport, const ExchangeLinks& links, Arena& arena);

/// For vectors between short and long: whole vectors up the trees below the core and down again. The k
/// places of halving_links() reduce-scatter by recursive halving and allgather by recursive doubling, in 2
/// log2 k - 1 rounds: the two that exchange last exchange all that is left. A member without a place sends
/// its vector to its partner, which has one, and gets the result from it. Halves have whole elements;
/// empty ones are not sent. Each element is reduced in two places, in the same order, and copied to all:
/// equal bits everywhere, only for operations that commute. 0 bytes: no message. Every rank needs a
/// result; errors as above.
/// Memory: half a vector from the arena; a whole one for two places, or for a partner's vector.
/// Cost among the places: (2 log2 k - 1) alpha + 2 ((k-1)/k) n beta + n gamma.
/// Source: Thakur, Rabenseifner and Gropp 2005, section 4.5.
Task allreduce_halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                       Reduction& reduction, Arena& arena);

}  // namespace strata::algorithms
