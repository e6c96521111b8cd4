#include "packed_datatype.h"

#include <algorithm>

namespace strata::component {

bool is_packed_in_place(ompi_datatype_t* datatype, std::size_t count) {
    size_t size = 0;
    ptrdiff_t lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    ompi_datatype_type_size(datatype, &size);
    ompi_datatype_get_extent(datatype, &lower, &extent);
    ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
    const auto packed = static_cast<ptrdiff_t>(size);
    // The memory-layout flag also rules out types whose pieces are contiguous but out of order.
    return packed == true_extent && (count == 1 || packed == extent) &&
           opal_datatype_is_contiguous_memory_layout(&datatype->super, count == 1 ? 1 : 2);
}

DatatypeBuffer::DatatypeBuffer(void* buffer, std::size_t count, ompi_datatype_t* datatype, std::size_t bytes,
                               bool is_root, std::vector<std::byte>& scratch)
    : PackedBuffer(nullptr, bytes) {
    if (is_packed_in_place(datatype, count)) {
        ptrdiff_t true_lower = 0, true_extent = 0;
        ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
        data_ = static_cast<std::byte*>(buffer) + true_lower;
        return;
    }
    if (scratch.size() < bytes) {
        scratch.resize(bytes);
    }
    data_ = scratch.data();
    convert_ = true;
    OBJ_CONSTRUCT(&convertor_, opal_convertor_t);
    if (is_root) {
        opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super, count, buffer, 0,
                                                 &convertor_);
    } else {
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &datatype->super, count, buffer, 0,
                                                 &convertor_);
    }
}

DatatypeBuffer::~DatatypeBuffer() {
    if (convert_) {
        OBJ_DESTRUCT(&convertor_);
    }
}

int DatatypeBuffer::convert(std::size_t bytes, bool pack, std::size_t& moved) {
    iovec piece{};
    piece.iov_base = reinterpret_cast<IOVBASE_TYPE*>(data_ + converted_);
    piece.iov_len = std::min(bytes, std::size_t{1} << 30);
    uint32_t pieces = 1;
    moved = piece.iov_len;
    const int rc = pack ? opal_convertor_pack(&convertor_, &piece, &pieces, &moved)
                        : opal_convertor_unpack(&convertor_, &piece, &pieces, &moved);
    converted_ += moved;
    return rc < 0 ? rc : OMPI_SUCCESS;
}

int DatatypeBuffer::produce(std::size_t end) {
    // Packing stops before a basic element that would be cut: it may run ahead by the largest one instead.
    constexpr std::size_t largest_element = 64;
    while (convert_ && converted_ < end) {
        const std::size_t ahead = std::min(bytes_, end + largest_element);
        std::size_t moved = 0;
        if (const int rc = convert(ahead - converted_, true, moved); rc != OMPI_SUCCESS) {
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
        if (const int rc = convert(end - converted_, false, moved); rc != OMPI_SUCCESS) {
            return rc;
        }
        if (moved == 0) {
            return end < bytes_ ? OMPI_SUCCESS : OMPI_ERROR;  // a cut element waits for its other part
        }
    }
    return OMPI_SUCCESS;
}

}  // namespace strata::component
