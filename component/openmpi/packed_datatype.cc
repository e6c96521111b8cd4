#include "component/openmpi/packed_datatype.h"

#include <algorithm>
#include <cstring>

namespace strata::component {

bool is_packed_in_place(ompi_datatype_t* datatype, std::size_t count) {
    size_t size = 0;
    ptrdiff_t lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    ompi_datatype_type_size(datatype, &size);
    ompi_datatype_get_extent(datatype, &lower, &extent);
    ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
    const auto packed = static_cast<ptrdiff_t>(size);
    // The memory-layout flag excludes types whose pieces are contiguous but out of order.
    return packed == true_extent && (count == 1 || packed == extent) &&
           opal_datatype_is_contiguous_memory_layout(&datatype->super, count == 1 ? 1 : 2);
}

namespace {

// Limit of bytes in the convertor's own iovec.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

void prepare(opal_convertor_t& convertor, bool packs, const void* elements, std::size_t count,
             ompi_datatype_t* datatype) {
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (packs) {
        opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super, count, elements,
                                                 0, &convertor);
    } else {
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &datatype->super, count, elements,
                                                 0, &convertor);
    }
}

/// Packs or unpacks the next `bytes` bytes at most; `moved`: the bytes done.
int convert(opal_convertor_t& convertor, bool packs, std::byte* packed, std::size_t bytes,
            std::size_t& moved) {
    iovec piece{};
    piece.iov_base = packed;
    piece.iov_len = std::min(bytes, most_at_once);
    uint32_t pieces = 1;
    moved = piece.iov_len;
    const int rc = packs ? opal_convertor_pack(&convertor, &piece, &pieces, &moved)
                         : opal_convertor_unpack(&convertor, &piece, &pieces, &moved);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

int convert_all(bool packs, const void* elements, std::size_t count, ompi_datatype_t* datatype,
                std::byte* packed, std::size_t bytes) {
    const std::size_t end = std::min(bytes, packed_bytes(datatype, count));
    if (end == 0) {
        return OMPI_SUCCESS;
    }
    if (is_packed_in_place(datatype, count)) {
        std::byte* const data = first_byte(elements, datatype);
        std::memcpy(packs ? packed : data, packs ? data : packed, end);
        return OMPI_SUCCESS;
    }
    opal_convertor_t convertor;
    prepare(convertor, packs, elements, count, datatype);
    int rc = OMPI_SUCCESS;
    for (std::size_t done = 0; done < end && rc == OMPI_SUCCESS;) {
        std::size_t moved = 0;
        rc = convert(convertor, packs, packed + done, end - done, moved);
        if (rc == OMPI_SUCCESS && moved == 0) {
            rc = OMPI_ERROR;
        }
        done += moved;
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

}  // namespace

std::byte* first_byte(const void* buffer, ompi_datatype_t* datatype) {
    ptrdiff_t true_lower = 0, true_extent = 0;
    ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
    return static_cast<std::byte*>(const_cast<void*>(buffer)) + true_lower;
}

int pack(const void* elements, std::size_t count, ompi_datatype_t* datatype, std::byte* packed,
         std::size_t bytes) {
    return convert_all(true, elements, count, datatype, packed, bytes);
}

int unpack(const std::byte* packed, std::size_t bytes, void* elements, std::size_t count,
           ompi_datatype_t* datatype) {
    return convert_all(false, elements, count, datatype, const_cast<std::byte*>(packed), bytes);
}

ElementRoom room_for(ompi_datatype_t* datatype, std::ptrdiff_t count) {
    ptrdiff_t lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    ompi_datatype_get_extent(datatype, &lower, &extent);
    ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
    constexpr std::ptrdiff_t unit = algorithms::Arena::alignment_bytes;
    // Both bounds may be far from MPI's buffer address: with MPI_BOTTOM they are absolute addresses.
    const std::ptrdiff_t begin = std::min(lower, true_lower);
    const std::ptrdiff_t end =
        std::max(true_lower + true_extent, lower + std::max<std::ptrdiff_t>(0, extent));
    const std::ptrdiff_t reach = (extent < 0 ? -extent : extent) * (count - 1);
    // A negative extent puts later elements at lower addresses.
    const std::ptrdiff_t lowest = begin - (extent < 0 ? reach : 0);
    const std::ptrdiff_t gap = (lowest % unit + unit) % unit;  // so that the base is aligned
    return {static_cast<std::size_t>(gap + (end - begin) + reach), gap - lowest};
}

DatatypeBuffer::DatatypeBuffer(const void* buffer, std::size_t count, ompi_datatype_t* datatype, bool packs,
                               algorithms::Arena& arena)
    : PackedBuffer(nullptr, packed_bytes(datatype, count)) {
    if (bytes_ == 0 || is_packed_in_place(datatype, count)) {
        data_ = first_byte(buffer, datatype);
        return;
    }
    data_ = arena.take(bytes_);
    convert_ = true;
    prepare(convertor_, packs, buffer, count, datatype);
}

DatatypeBuffer::~DatatypeBuffer() {
    if (convert_) {
        OBJ_DESTRUCT(&convertor_);
    }
}

int DatatypeBuffer::advance(std::size_t bytes, bool packs, std::size_t& moved) {
    const int rc = convert(convertor_, packs, data_ + converted_, bytes, moved);
    converted_ += moved;
    return rc;
}

int DatatypeBuffer::produce(std::size_t end) {
    // The convertor stops before a basic element that `end` would cut, so let it pack one more element.
    constexpr std::size_t largest_element = 64;
    while (convert_ && converted_ < end) {
        const std::size_t ahead = std::min(bytes_, end + largest_element);
        std::size_t moved = 0;
        if (const int rc = advance(ahead - converted_, true, moved); rc != OMPI_SUCCESS) {
            return rc;
        }
        if (moved == 0) {
            return OMPI_ERROR;
        }
    }
    return OMPI_SUCCESS;
}

int DatatypeBuffer::consume(std::size_t end) {
    while (convert_ && converted_ < end) {
        std::size_t moved = 0;
        if (const int rc = advance(end - converted_, false, moved); rc != OMPI_SUCCESS) {
            return rc;
        }
        if (moved == 0) {
            return end < bytes_ ? OMPI_SUCCESS : OMPI_ERROR;  // a cut element waits for its rest
        }
    }
    return OMPI_SUCCESS;
}

}  // namespace strata::component
