#include "component/openmpi/operator_reduction.h"

#include <algorithm>

#include "component/openmpi/packed_datatype.h"

namespace strata::component {
namespace {

// Bytes of unpacked elements at once: large enough to amortise the conversion, small enough for the cache.
constexpr std::ptrdiff_t unpacked_bytes = 16384;

}  // namespace

OperatorReduction::OperatorReduction(ompi_op_t* op, ompi_datatype_t* datatype, algorithms::Arena& arena)
    : Reduction(std::max<std::size_t>(1, packed_bytes(datatype, 1))), op_(op), datatype_(datatype) {
    ptrdiff_t lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    ompi_datatype_get_extent(datatype, &lower, &extent);
    ompi_datatype_get_true_extent(datatype, &true_lower, &true_extent);
    if (is_packed_in_place(datatype, 2)) {
        origin_ = -true_lower;
        return;
    }
    const std::ptrdiff_t stride = extent < 0 ? -extent : extent;
    const std::ptrdiff_t fitting = stride == 0 ? 1 : (unpacked_bytes - true_extent) / stride + 1;
    at_once_ = static_cast<int>(std::max<std::ptrdiff_t>(1, fitting));
    const ElementRoom room = room_for(datatype, at_once_);
    origin_ = room.base;
    left_ = arena.take(room.bytes);
    right_ = arena.take(room.bytes);
}

int OperatorReduction::combine(const std::byte* left, std::byte* right, std::size_t bytes) {
    std::size_t elements = bytes / element_bytes();
    while (elements > 0) {
        // Operators count in int.
        const auto most = at_once_ > 0 ? static_cast<std::size_t>(at_once_) : std::size_t{1} << 30;
        const std::size_t now = std::min(elements, most);
        if (at_once_ > 0) {
            if (const int rc = combine_unpacked(left, right, static_cast<int>(now)); rc != OMPI_SUCCESS) {
                return rc;
            }
        } else {
            ompi_op_reduce(op_, const_cast<std::byte*>(left) + origin_, right + origin_,
                           static_cast<int>(now), datatype_);
        }
        left += now * element_bytes();
        right += now * element_bytes();
        elements -= now;
    }
    return OMPI_SUCCESS;
}

int OperatorReduction::combine_unpacked(const std::byte* left, std::byte* right, int elements) {
    const auto count = static_cast<std::size_t>(elements);
    const std::size_t bytes = count * element_bytes();
    std::byte* const left_elements = left_ + origin_;
    std::byte* const right_elements = right_ + origin_;
    if (const int rc = unpack(left, bytes, left_elements, count, datatype_); rc != OMPI_SUCCESS) {
        return rc;
    }
    if (const int rc = unpack(right, bytes, right_elements, count, datatype_); rc != OMPI_SUCCESS) {
        return rc;
    }
    ompi_op_reduce(op_, left_elements, right_elements, elements, datatype_);
    return pack(right_elements, count, datatype_, right, bytes);
}

}  // namespace strata::component
