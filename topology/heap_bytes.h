#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace strata::topology {

/// Bytes that glibc's malloc adds per block (header and rounding), on average.
inline constexpr std::size_t block_bytes = 16;

/// Returns the heap bytes of a list, without what its entries refer to.
template <typename Entry>
std::size_t heap_bytes(const std::vector<Entry>& list) {
    return list.capacity() == 0 ? 0 : list.capacity() * sizeof(Entry) + block_bytes;
}

/// Returns the heap bytes of a string; short strings need none.
inline std::size_t heap_bytes(const std::string& text) {
    return text.capacity() <= std::string().capacity() ? 0 : text.capacity() + 1 + block_bytes;
}

/// Returns the heap bytes of a hash table, without what its entries refer to.
template <typename Table>
std::size_t table_bytes(const Table& table) {
    return table.size() * (sizeof(typename Table::value_type) + 2 * sizeof(void*) + block_bytes) +
           table.bucket_count() * sizeof(void*);
}

}  // namespace strata::topology
