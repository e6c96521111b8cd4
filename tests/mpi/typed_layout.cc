#include "typed_layout.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace strata::testing {

TypedLayout::TypedLayout(MPI_Datatype type, std::vector<Element> elements, bool owned)
    : type_(type), owned_(owned), elements_(std::move(elements)) {
    if (owned_) {
        MPI_Type_commit(&type_);
    }
    MPI_Aint lower_bound = 0;
    MPI_Type_get_extent(type_, &lower_bound, &extent_);
}

TypedLayout::TypedLayout(TypedLayout&& other) noexcept
    : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)),
      owned_(std::exchange(other.owned_, false)),
      extent_(other.extent_),
      elements_(std::move(other.elements_)) {}

TypedLayout& TypedLayout::operator=(TypedLayout&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
    std::swap(extent_, other.extent_);
    std::swap(elements_, other.elements_);
    return *this;
}

TypedLayout::~TypedLayout() {
    if (owned_) {
        MPI_Type_free(&type_);
    }
}

std::size_t TypedLayout::bytes() const {
    std::size_t sum = 0;
    for (const Element& element : elements_) {
        sum += element.bytes;
    }
    return sum;
}

void TypedLayout::append(std::vector<Element>& out, std::ptrdiff_t displacement, int count) const {
    for (int i = 0; i < count; ++i) {
        for (const Element& element : elements_) {
            out.push_back({displacement + i * extent_ + element.offset, element.bytes});
        }
    }
}

TypedLayout TypedLayout::basic(MPI_Datatype type, std::size_t bytes) { return {type, {{0, bytes}}, false}; }

TypedLayout TypedLayout::predefined(MPI_Datatype type, std::vector<Element> elements) {
    return {type, std::move(elements), false};
}

TypedLayout TypedLayout::contiguous(int count, const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, child.type_, &type);
    std::vector<Element> elements;
    child.append(elements, 0, count);
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::vector(int count, int block, int stride, const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, block, stride, child.type_, &type);
    std::vector<Element> elements;
    for (int i = 0; i < count; ++i) {
        child.append(elements, i * stride * child.extent_, block);
    }
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::hvector(int count, int block, MPI_Aint stride_bytes, const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(count, block, stride_bytes, child.type_, &type);
    std::vector<Element> elements;
    for (int i = 0; i < count; ++i) {
        child.append(elements, i * stride_bytes, block);
    }
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::indexed(const std::vector<int>& blocks, const std::vector<int>& displacements,
                                 const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(blocks.size()), blocks.data(), displacements.data(), child.type_,
                     &type);
    std::vector<Element> elements;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        child.append(elements, displacements[i] * child.extent_, blocks[i]);
    }
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::hindexed(const std::vector<int>& blocks, const std::vector<MPI_Aint>& displacements,
                                  const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(blocks.size()), blocks.data(), displacements.data(),
                             child.type_, &type);
    std::vector<Element> elements;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        child.append(elements, displacements[i], blocks[i]);
    }
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::structure(const std::vector<int>& blocks, const std::vector<MPI_Aint>& displacements,
                                   const std::vector<const TypedLayout*>& children) {
    std::vector<MPI_Datatype> types;
    std::vector<Element> elements;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        types.push_back(children[i]->type_);
        children[i]->append(elements, displacements[i], blocks[i]);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(blocks.size()), blocks.data(), displacements.data(), types.data(),
                           &type);
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::resized(MPI_Aint lower_bound, MPI_Aint extent, const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(child.type_, lower_bound, extent, &type);
    return {type, child.elements_, true};
}

TypedLayout TypedLayout::duplicate(const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(child.type_, &type);
    return {type, child.elements_, true};
}

TypedLayout TypedLayout::subarray(const int (&sizes)[2], const int (&subsizes)[2], const int (&starts)[2],
                                  int order, const TypedLayout& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, order, child.type_, &type);
    const int fast = order == MPI_ORDER_C ? 1 : 0;
    const int slow = 1 - fast;
    std::vector<Element> elements;
    for (int i = 0; i < subsizes[slow]; ++i) {
        const std::ptrdiff_t first = std::ptrdiff_t{starts[slow] + i} * sizes[fast] + starts[fast];
        child.append(elements, first * child.extent_, subsizes[fast]);
    }
    return {type, std::move(elements), true};
}

TypedLayout TypedLayout::darray(int rank, const int (&processes)[2], const int (&sizes)[2], int cyclic,
                                const TypedLayout& child) {
    const int kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    const int lengths[2] = {MPI_DISTRIBUTE_DFLT_DARG, cyclic};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_darray(processes[0] * processes[1], rank, 2, sizes, kinds, lengths, processes,
                           MPI_ORDER_C, child.type_, &type);
    const int row = rank / processes[1];
    const int column = rank % processes[1];
    const int block = (sizes[0] + processes[0] - 1) / processes[0];
    std::vector<Element> elements;
    for (int i = row * block; i < std::min(sizes[0], (row + 1) * block); ++i) {
        for (int j = 0; j < sizes[1]; ++j) {
            if (j / cyclic % processes[1] == column) {
                child.append(elements, (std::ptrdiff_t{i} * sizes[1] + j) * child.extent_, 1);
            }
        }
    }
    return {type, std::move(elements), true};
}

}  // namespace strata::testing
