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
    /// Messages are cut between elements of this size; at least 1.
    std::size_t element_bytes() const { return element_bytes_; }
    /// right[i] = left[i] op right[i]. `bytes` is a multiple of element_bytes(); the two do not overlap.
    virtual int combine(const std::byte* left, std::byte* right, std::size_t bytes) = 0;

private:
    std::size_t element_bytes_;
};

/// What a rank gives and gets, as packed bytes of equal number. `own` is produce()d with growing ends before
/// it is read. `result`, nullptr where no result is due, is written and then consume()d with growing ends, at
/// last with bytes(). Both may share their memory (MPI_IN_PLACE): each byte is read before it is overwritten.
struct ReduceBuffers {
    PackedBuffer& own;
    PackedBuffer* result;
};

/// Reduction up a tree: each segment is combined with those of the children in the order of the links, as
/// they arrive, and passed on at once, so that all levels overlap; receives run ahead by `window` segments
/// per child. Every edge carries ceil(bytes / segment) messages upwards, no more. Memory: window segments per
/// child, from the arena; a rank without children sends from `own`. The root needs a result. 0 bytes: returns
/// at once. Outcome: 0 or the first error of transport, buffers or reduction; then the caller has the
/// transport abandon(). Source: the non-blocking pipelined variant of the NUIOA paper (section 4), mirrored.
Task reduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena, int window);

/// reduce_tree() to the root that streams straight into a broadcast down the same tree: a segment turns round
/// as soon as the root has it. Every edge carries each segment once in each direction; all ranks get the
/// root's bits. Every rank needs a result.
Task allreduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window);

/// For long messages where more than two local roots meet on the topmost level: trees below the core, a ring
/// among it. Each member of the core combines and sends 2(k-1)/k of the vector, however many (k) they are;
/// the inner members of a chain send it twice. Rounds of k chunks, each of `window` segments: k-1 steps in
/// which partial results go round and are combined on, k-1 in which final ones follow; a round begins as soon
/// as the trees have brought its part of the vector, and what is final streams down again at once. Every part
/// is combined once, in an order that depends on its place in the vector, and copied to all: equal bits
/// everywhere, for operators that commute only. Memory: of a member of the core `window` segments and as many
/// per child, from the arena; none where it has no children and result and own lie apart. Else as
/// allreduce_tree(). Source: bandwidth-optimal ring (Patarasuk and Yuan 2009), segmented.
Task allreduce_ring(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window);

/// For short messages: whole vectors up the trees below the core, recursive doubling among the core (of a
/// number that is no power of two the first 2r members pair up before and after), whole vectors down again.
/// Of two partners' partial results the one for the lower positions is always the left operand, so that all
/// ranks get equal bits and the order of the positions is kept. 0 bytes: nothing is combined but all messages
/// are exchanged, which makes it a barrier: none leaves before all have come.
Task allreduce_exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                        Reduction& reduction, Arena& arena);
Task barrier_exchange(Transport& transport, const ExchangeLinks& links, Arena& arena);

/// For vectors between short and long: whole ones up the trees below the core and down again; among the
/// places of halving_links(), k of them, a reduce-scatter by recursive halving and an allgather by recursive
/// doubling: each sends 2(k-1)/k of the vector in 2 log2 k - 1 rounds, since the two that exchange last do so
/// with all that is left. Whoever has no place sends its vector to its partner, which has, and gets the
/// result from there. Halves are of whole elements, empty ones are not sent. Each element is reduced in two
/// places, in the same order, and copied to all: equal bits everywhere, for operators that commute only.
/// Memory: half a vector from the arena, a whole one of two places or where a partner's is taken in. 0 bytes:
/// returns at once. Every rank needs a result; errors as above. Source: Thakur, Rabenseifner and Gropp 2005,
/// section 4.5.
Task allreduce_halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                       Reduction& reduction, Arena& arena);

}  // namespace strata::algorithms
