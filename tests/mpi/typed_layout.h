#pragma once
#include <mpi.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "check.h"
#include "gpu_memory.h"

namespace strata::testing {

/// Where one basic element of a datatype is, in bytes from the buffer's address.
struct Element {
    std::ptrdiff_t offset = 0;
    std::size_t bytes = 0;
};

/// An MPI datatype and its type map as this class computes it, so that a check needs neither MPI_Pack nor
/// any other answer of the library about the location of data (it only queries extents). The constructor
/// commits the type and the destructor frees it. Derived layouts do not need their children any more.
class TypedLayout {
public:
    static TypedLayout basic(MPI_Datatype type, std::size_t bytes);
    /// A predefined type of several elements, such as MPI_DOUBLE_INT; never freed.
    static TypedLayout predefined(MPI_Datatype type, std::vector<Element> elements);
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

/// One rank's argument of a collective: `count` items of `layout`.
struct TypedArgument {
    TypedLayout layout;
    int count = 1;
    std::size_t bytes() const { return layout.bytes() * static_cast<std::size_t>(count); }
};

/// `count` items from item number `item` of a buffer on: where one rank's block is.
struct ItemRange {
    std::ptrdiff_t first = 0;
    int count = 0;
};

/// Packed data of a buffer: the bytes of its elements in type map order, range after range.
using Stream = std::vector<std::uint8_t>;
/// Returns `bytes` bytes of the pattern of `key`.
Stream pattern_stream(std::size_t bytes, std::uint64_t key);

/// Separate pages, which can be made read-only.
template <class T>
struct OwnPages {
    using value_type = T;
    T* allocate(std::size_t count) {
        constexpr int access = PROT_READ | PROT_WRITE;
        void* const memory = mmap(nullptr, count * sizeof(T), access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) noexcept { munmap(memory, count * sizeof(T)); }
    bool operator==(const OwnPages&) const = default;
};

/// Memory for items of a layout with guard bytes at both ends and in all gaps. Keeps a reference to the
/// layout.
class TypedBuffer {
public:
    /// Memory kind of all buffers created from now on; mixed: random for each. Other kinds than host
    /// require an empty GpuMemory::missing().
    static void lie_in(BufferPlace place, std::uint64_t seed);
    explicit TypedBuffer(const TypedArgument& argument);
    /// The ranges must not overlap; gaps between them must stay as they are.
    TypedBuffer(const TypedLayout& layout, std::vector<ItemRange> ranges);
    /// Returns the address to pass to MPI: that of item 0.
    void* address() { return (gpu_ ? gpu_->address() : memory_.data()) + origin_; }
    /// Writes the stream (of a range, or of all) into the elements.
    void fill(const Stream& stream);
    void fill_range(std::size_t range, const Stream& stream);
    void fill(std::uint64_t key) { fill(pattern_stream(bytes(), key)); }
    /// For a buffer that is only sent: until the next check, a write to it ends the process with signal 11.
    /// Not for buffers that are filled again.
    void forbid_writing() { set_access(PROT_READ); }
    /// Checks that the elements hold the stream and no other byte changed.
    void expect(Session& session, const Stream& stream);
    void expect(Session& session, std::uint64_t key) { expect(session, pattern_stream(bytes(), key)); }
    /// Checks that no byte changed since construction.
    void expect_untouched(Session& session);
    /// Returns the current contents of the elements.
    Stream contents();
    std::size_t bytes() const;

private:
    template <class Use>
    void for_each_element(std::size_t first_range, std::size_t end_range, Use use) const;
    void place(std::uint8_t* memory, std::size_t first_range, std::size_t end_range,
               const Stream& stream) const;
    void write_to_gpu();
    void read_from_gpu();
    void compare(Session& session, const std::vector<std::uint8_t>& expected);
    void set_access(int access) { mprotect(memory_.data(), memory_.size(), access); }
    bool inside_element(std::ptrdiff_t at) const;

    const TypedLayout& layout_;
    std::vector<ItemRange> ranges_;
    std::vector<std::uint8_t, OwnPages<std::uint8_t>> memory_;  ///< with gpu_: its last known contents
    std::size_t origin_ = 0;
    std::unique_ptr<GpuMemory> gpu_;
};

/// The basic elements of one item of a random argument.
enum class ItemKind { integer, record, byte };
inline constexpr int item_kind_count = 3;
/// Packed bytes of one item.
std::size_t item_bytes(ItemKind kind);

/// Returns a random argument with `items` items of `kind`: calls with different random states get different
/// datatypes of equal signature (a record is int, double, char, short). The count is never 0: Open MPI
/// returns early from MPI_Bcast for count 0, and hangs if other ranks pass items without data.
TypedArgument random_argument(Random& random, ItemKind kind, int items);
/// The same for any item; it must not exceed its extent, and `items` must be 1 or more.
TypedArgument random_argument(Random& random, const TypedLayout& child, int items);
/// The plain argument: count = items, with the item itself as datatype.
TypedArgument plain_argument(ItemKind kind, int items);
/// No items as count 0, where the two functions above pass items without data.
TypedArgument empty_argument(ItemKind kind);
/// One datatype that holds `items` items, 1 or more.
TypedLayout random_block(Random& random, ItemKind kind, int items);

}  // namespace strata::testing
