#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.h"

namespace strata::testing {

/// Where one basic element of a datatype lies, in bytes from the buffer's address.
struct Element {
    std::ptrdiff_t offset = 0;
    std::size_t bytes = 0;
};

/// An MPI datatype beside its type map as this class computes it by itself, so that a check needs neither
/// MPI_Pack nor any other answer of the library about where data lies (only extents are asked for).
/// The type is committed at construction and freed with the object. Derived layouts do not need their
/// children any more.
class TypedLayout {
public:
    static TypedLayout basic(MPI_Datatype type, std::size_t bytes);
    static TypedLayout contiguous(int count, const TypedLayout& child);
    static TypedLayout vector(int count, int block, int stride, const TypedLayout& child);
    static TypedLayout hvector(int count, int block, MPI_Aint stride_bytes, const TypedLayout& child);
    static TypedLayout indexed(const std::vector<int>& blocks, const std::vector<int>& displacements,
                               const TypedLayout& child);
    static TypedLayout hindexed(const std::vector<int>& blocks, const std::vector<MPI_Aint>& displacements,
                                const TypedLayout& child);
    static TypedLayout structure(const std::vector<int>& blocks, const std::vector<MPI_Aint>& displacements,
                                 const std::vector<const TypedLayout*>& children);
    static TypedLayout resized(MPI_Aint lower_bound, MPI_Aint extent, const TypedLayout& child);
    static TypedLayout duplicate(const TypedLayout& child);
    /// `order` is MPI_ORDER_C or MPI_ORDER_FORTRAN; both over two dimensions.
    static TypedLayout subarray(const int (&sizes)[2], const int (&subsizes)[2], const int (&starts)[2],
                                int order, const TypedLayout& child);
    /// Rank `rank` of a `processes` grid: the first dimension in blocks, the second cyclic in `cyclic`
    /// elements.
    static TypedLayout darray(int rank, const int (&processes)[2], const int (&sizes)[2], int cyclic,
                              const TypedLayout& child);

    TypedLayout(TypedLayout&& other) noexcept;
    TypedLayout& operator=(TypedLayout&& other) noexcept;
    ~TypedLayout();

    MPI_Datatype type() const { return type_; }
    MPI_Aint extent() const { return extent_; }
    std::size_t bytes() const;
    const std::vector<Element>& elements() const { return elements_; }

private:
    TypedLayout(MPI_Datatype type, std::vector<Element> elements, bool owned);
    void append(std::vector<Element>& out, std::ptrdiff_t displacement, int count) const;

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool owned_ = false;
    MPI_Aint extent_ = 0;
    std::vector<Element> elements_;
};

/// What one rank passes to a collective: `count` items of `layout`.
struct TypedArgument {
    TypedLayout layout;
    int count = 1;
    std::size_t bytes() const { return layout.bytes() * static_cast<std::size_t>(count); }
};

/// Memory for a TypedArgument with guard bytes at both ends and in all gaps.
class TypedBuffer {
public:
    explicit TypedBuffer(const TypedArgument& argument);
    /// The address to pass to MPI.
    void* address() { return memory_.data() + origin_; }
    /// Writes the pattern of `key` into the elements, in type map order.
    void fill(std::uint64_t key);
    /// The elements hold the pattern of `key` and no other byte was written.
    void expect(Session& session, std::uint64_t key);

private:
    std::vector<std::uint8_t> image(std::uint64_t key) const;

    const TypedArgument& argument_;
    std::vector<std::uint8_t> memory_;
    std::size_t origin_ = 0;
};

/// Which basic elements one item of a random argument has.
enum class ItemKind { integer, record, byte };
inline constexpr int item_kind_count = 3;

/// A random argument with `items` items of `kind`: ranks that call this with different random states get
/// different datatypes of equal signature (a record is int, double, char, short). The count is never 0: Open
/// MPI returns from MPI_Bcast early where it is, and hangs if other ranks pass items without data instead.
TypedArgument random_argument(Random& random, ItemKind kind, int items);
/// The plain one: count = items, the item itself as datatype.
TypedArgument plain_argument(ItemKind kind, int items);

}  // namespace strata::testing
