#pragma once
#include <mpi.h>

#include <string>
#include <vector>

#include "operators.h"

namespace strata::testing {

/// A user operation on values whose elements are anywhere in the items of a derived datatype.
struct UserOperation {
    std::string name;
    MPI_Op op;
    TypedLayout item;  ///< layout of one value
    Operator::Make make;
    Operator::Combine combine;
};

/// "matrix product" and "text joining", which do not commute, and "record", which does. The caller frees the
/// operations.
std::vector<UserOperation> make_user_operations();

/// Gives the operations the location of values in this layout's datatype (an attribute of the datatype).
void remember_layout(const TypedLayout& layout);
void free_layout_key();
/// From now on, operations that do not commute compute `right (operator) left`.
void reverse_operands(bool reversed);

}  // namespace strata::testing
