#include "user_operations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "operator_values.h"

namespace strata::testing {

namespace {

int layout_key = MPI_KEYVAL_INVALID;
std::atomic<bool> operands_reversed = false;

// 2 x 2 matrices modulo 2^32.
using Matrix = std::array<std::uint32_t, 4>;

void make_matrix(Random& random, std::uint8_t* value) {
    store<Matrix>(value,
                  {static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next()),
                   static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next())});
}

void multiply(const std::uint8_t* left, std::uint8_t* right) {
    const auto a = load<Matrix>(left);
    const auto b = load<Matrix>(right);
    store<Matrix>(right, {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                          a[2] * b[1] + a[3] * b[3]});
}

// Texts of any length, represented by a hash: (h, p) = sum of letters times powers of a base, and
// base^length.
using Text = std::array<std::uint64_t, 2>;

void make_text(Random& random, std::uint8_t* value) {
    constexpr std::uint64_t base = 0x100000001b3u;
    Text text = {0, 1};
    for (std::int64_t letters = random.between(0, 5); letters > 0; --letters) {
        text = {text[0] * base + static_cast<std::uint64_t>(random.between('a', 'z')), text[1] * base};
    }
    store<Text>(value, text);
}

void join(const std::uint8_t* left, std::uint8_t* right) {
    const auto a = load<Text>(left);
    const auto b = load<Text>(right);
    store<Text>(right, {a[0] * b[1] + b[0], a[1] * b[1]});
}

// int, double, char, short: maximum, minimum, exclusive or, sum.
constexpr std::size_t record_bytes = sizeof(int) + sizeof(double) + 1 + sizeof(short);

void make_record(Random& random, std::uint8_t* value) {
    store<int>(value, static_cast<int>(random.next()));
    store<double>(value + 4, static_cast<double>(random.between(-1000, 1000)));
    store<std::uint8_t>(value + 12, static_cast<std::uint8_t>(random.next()));
    store<short>(value + 13, static_cast<short>(random.between(-800, 800)));
}

void combine_records(const std::uint8_t* left, std::uint8_t* right) {
    combine_by<int, larger<int>>(left, right);
    combine_by<double, smaller<double>>(left + 4, right + 4);
    combine_by<std::uint8_t, bit_xor<std::uint8_t>>(left + 12, right + 12);
    combine_by<short, sum<short>>(left + 13, right + 13);
}

const TypedLayout& layout_of(MPI_Datatype type) {
    void* layout = nullptr;
    int found = 0;
    MPI_Type_get_attr(type, layout_key, &layout, &found);
    if (found == 0) {
        std::fprintf(stderr, "a user operation was called with another datatype than the collective's\n");
        MPI_Abort(MPI_COMM_WORLD, exit_failed);
    }
    return *static_cast<const TypedLayout*>(layout);
}

template <class Use>
void for_each_element(const TypedLayout& layout, std::ptrdiff_t item, Use use) {
    std::size_t done = 0;
    for (const Element& element : layout.elements()) {
        use(item * layout.extent() + element.offset, done, element.bytes);
        done += element.bytes;
    }
}

void pack(const TypedLayout& layout, const void* data, std::ptrdiff_t item, Stream& stream) {
    for_each_element(layout, item, [&](std::ptrdiff_t at, std::size_t done, std::size_t bytes) {
        std::memcpy(stream.data() + done, static_cast<const std::uint8_t*>(data) + at, bytes);
    });
}

void unpack(const TypedLayout& layout, const Stream& stream, std::ptrdiff_t item, void* data) {
    for_each_element(layout, item, [&](std::ptrdiff_t at, std::size_t done, std::size_t bytes) {
        std::memcpy(static_cast<std::uint8_t*>(data) + at, stream.data() + done, bytes);
    });
}

// The MPI_User_function of `combine`: an item holds one or more values, with elements anywhere.
template <Operator::Combine combine, std::size_t value_bytes, bool commutes>
void on_items(void* in, void* inout, int* items, MPI_Datatype* type) {
    const TypedLayout& layout = layout_of(*type);
    Stream left(layout.bytes());
    Stream right(layout.bytes());
    for (int i = 0; i < *items; ++i) {
        pack(layout, in, i, left);
        pack(layout, inout, i, right);
        if (!commutes && operands_reversed) {
            std::swap(left, right);
        }
        for (std::size_t done = 0; done < right.size(); done += value_bytes) {
            combine(left.data() + done, right.data() + done);
        }
        unpack(layout, right, i, inout);
    }
}

MPI_Op created(MPI_User_function* function, bool commutes) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(function, commutes ? 1 : 0, &op);
    return op;
}

TypedLayout record() {
    const TypedLayout integer = TypedLayout::basic(MPI_INT, sizeof(int));
    const TypedLayout real = TypedLayout::basic(MPI_DOUBLE, sizeof(double));
    const TypedLayout letter = TypedLayout::basic(MPI_CHAR, 1);
    const TypedLayout small = TypedLayout::basic(MPI_SHORT, sizeof(short));
    return TypedLayout::structure({1, 1, 1, 1}, {16, 8, 0, 4}, {&integer, &real, &letter, &small});
}

}  // namespace

std::vector<UserOperation> make_user_operations() {
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &layout_key, nullptr);
    std::vector<UserOperation> all;
    all.push_back({"matrix product", created(on_items<multiply, sizeof(Matrix), false>, false),
                   TypedLayout::contiguous(4, TypedLayout::basic(MPI_UINT32_T, 4)), make_matrix, multiply});
    all.push_back({"text joining", created(on_items<join, sizeof(Text), false>, false),
                   TypedLayout::vector(2, 1, 2, TypedLayout::basic(MPI_UINT64_T, 8)), make_text, join});
    all.push_back({"record", created(on_items<combine_records, record_bytes, true>, true), record(),
                   make_record, combine_records});
    return all;
}

void remember_layout(const TypedLayout& layout) {
    MPI_Type_set_attr(layout.type(), layout_key, const_cast<TypedLayout*>(&layout));
}

void free_layout_key() { MPI_Type_free_keyval(&layout_key); }

void reverse_operands(bool reversed) { operands_reversed = reversed; }

}  // namespace strata::testing
