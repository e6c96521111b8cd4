#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/engines/reduce_tree.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Applies an MPI operator to packed elements of a data type. Elements with gaps in memory (pairs, derived
/// types under user operators) are unpacked for the operator, a few at a time.
class OperatorReduction final : public algorithms::Reduction {
public:
    /// Throws std::bad_alloc. `arena` lends memory for a few elements of types with gaps.
    OperatorReduction(ompi_op_t* op, ompi_datatype_t* datatype, algorithms::Arena& arena);
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override;

private:
    struct Layout;
    int combine_unpacked(const std::byte* left, std::byte* right, int elements);

    ompi_op_t* op_;
    ompi_datatype_t* datatype_;
    std::ptrdiff_t origin_ = 0;  ///< offset from the first byte of data to MPI's buffer address
    int at_once_ = 0;            ///< elements that are unpacked at once; 0: packed in place
    std::byte* left_ = nullptr;  ///< memory for unpacked elements
    std::byte* right_ = nullptr;
};

}  // namespace strata::component
