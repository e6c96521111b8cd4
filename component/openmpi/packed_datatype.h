#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/transport.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Returns true if `count` elements in memory equal their packed bytes, from the true lower bound on.
bool is_packed_in_place(ompi_datatype_t* datatype, std::size_t count);

/// Returns the packed bytes of `count` elements.
inline std::size_t packed_bytes(ompi_datatype_t* datatype, std::size_t count) {
    size_t size = 0;
    ompi_datatype_type_size(datatype, &size);
    return size * count;
}
/// Returns the address of the first data byte of MPI's `buffer`.
std::byte* first_byte(const void* buffer, ompi_datatype_t* datatype);
/// Copy `count` elements of an MPI buffer to packed bytes and back, at most `bytes` bytes: ranks of a faulty
/// program may disagree about sizes. Return Open MPI's error code.
int pack(const void* elements, std::size_t count, ompi_datatype_t* datatype, std::byte* packed,
         std::size_t bytes);
int unpack(const std::byte* packed, std::size_t bytes, void* elements, std::size_t count,
           ompi_datatype_t* datatype);

/// Size of the memory for `count` elements laid out as in a program's array, gaps before and after the data
/// included: user operators may write to an element's whole extent and rely on its alignment.
struct ElementRoom {
    std::size_t bytes;
    std::ptrdiff_t base;  ///< offset of MPI's buffer address; a multiple of the arena's alignment
};
ElementRoom room_for(ompi_datatype_t* datatype, std::ptrdiff_t count);

/// A buffer of any data type as packed bytes. Contiguous elements are used in place; others are packed into,
/// or unpacked from, memory of the arena segment by segment. Ranks may use different types with the same
/// signature, so a segment may end inside an element.
class DatatypeBuffer final : public algorithms::PackedBuffer {
public:
    /// `packs`: the buffer is read, through produce(); else it is written, through consume(). Throws
    /// std::bad_alloc.
    DatatypeBuffer(const void* buffer, std::size_t count, ompi_datatype_t* datatype, bool packs,
                   algorithms::Arena& arena);
    DatatypeBuffer(const DatatypeBuffer&) = delete;
    DatatypeBuffer& operator=(const DatatypeBuffer&) = delete;
    ~DatatypeBuffer() override;

    int produce(std::size_t end) override;
    int consume(std::size_t end) override;

private:
    int advance(std::size_t bytes, bool packs, std::size_t& moved);
    bool convert_ = false;
    std::size_t converted_ = 0;
    opal_convertor_t convertor_;
};

}  // namespace strata::component
