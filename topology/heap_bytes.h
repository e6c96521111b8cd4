#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace strata::topology {

/// What an allocator takes for itself with every block, and rounds up by, in the mean of glibc's.
inline constexpr std::size_t block_bytes = 16;

/// Bytes of the heap that a list takes, without what its entries refer to.
template <typename Entry>
std::size_t heap_bytes(const std::vector<Entry>& list) {
    return list.capacity() == 0 ? 0 : list.capacity() * sizeof(Entry) + block_bytes;
}

/// The same of a text; short ones are in the string itself.
inline std::size_t heap_bytes(const std::string& text) {
    return text.capacity() <= std::string().capacity() ? 0 : text.capacity() + 1 + block_bytes;
}

/// Of a table's entries, without what they refer to.
template <typename Table>
std::size_t table_bytes(const Table& table) {
    return table.size() * (sizeof(typename Table::value_type) + 2 * sizeof(void*) + block_bytes) +
           table.bucket_count() * sizeof(void*);
}

}  // namespace strata::topology
