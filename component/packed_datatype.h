#pragma once
#include <vector>

#include "ompi_compat.h"
#include "strata/algorithms/transport.h"

namespace strata::component {

/// True when `count` elements lie in memory as their packed bytes do, from the true lower bound on.
bool is_packed_in_place(ompi_datatype_t* datatype, std::size_t count);

/// A buffer of any data type as packed bytes. Elements that lie contiguously are used in place; others are
/// packed into `scratch` (root) or unpacked from it (elsewhere) piece by piece as the pieces travel. Ranks
/// may describe the same signature by different types, so pieces may end inside an element.
class DatatypeBuffer final : public algorithms::PackedBuffer {
public:
    /// `bytes` = count * size of the type. Throws std::bad_alloc.
    DatatypeBuffer(void* buffer, std::size_t count, ompi_datatype_t* datatype, std::size_t bytes,
                   bool is_root, std::vector<std::byte>& scratch);
    DatatypeBuffer(const DatatypeBuffer&) = delete;
    DatatypeBuffer& operator=(const DatatypeBuffer&) = delete;
    ~DatatypeBuffer() override;

    int produce(std::size_t end) override;
    int consume(std::size_t end) override;

private:
    int convert(std::size_t bytes, bool pack, std::size_t& moved);
    bool convert_ = false;
    std::size_t converted_ = 0;
    opal_convertor_t convertor_;
};

}  // namespace strata::component
