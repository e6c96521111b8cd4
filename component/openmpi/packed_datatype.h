#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/transport.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// True when `count` elements lie in memory as their packed bytes do, from the true lower bound on.
bool is_packed_in_place(ompi_datatype_t* datatype, std::size_t count);

/// Bytes of `count` elements when packed.
inline std::size_t packed_bytes(ompi_datatype_t* datatype, std::size_t count) {
    size_t size = 0;
    ompi_datatype_type_size(datatype, &size);
    return size * count;
}
/// The first byte of data of the elements at `buffer`, as MPI takes it.
std::byte* first_byte(const void* buffer, ompi_datatype_t* datatype);
/// Copy `count` elements, as MPI takes them, to packed bytes and back; of programs that disagree about sizes
/// no more than `bytes` bytes. Return Open MPI's error code.
int pack(const void* elements, std::size_t count, ompi_datatype_t* datatype, std::byte* packed,
         std::size_t bytes);
int unpack(const std::byte* packed, std::size_t bytes, void* elements, std::size_t count,
           ompi_datatype_t* datatype);

/// Memory in which `count` elements lie as in a program's array, whose operators may write to all of an
/// element's extent and rely on its alignment: from `base` on, as MPI takes it, with what lies before and
/// behind.
struct ElementRoom {
    std::size_t bytes;
    std::ptrdiff_t base;  ///< a multiple of the arena's alignment
};
ElementRoom room_for(ompi_datatype_t* datatype, std::ptrdiff_t count);

/// A buffer of any data type as packed bytes. Elements that lie contiguously are used in place; others are
/// packed into memory of the arena or unpacked from it piece by piece as the pieces travel. Ranks
/// may describe the same signature by different types, so pieces may end inside an element.
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
