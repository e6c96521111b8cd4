#include "operators.h"

#include <cstdio>

#include "operator_values.h"
#include "user_operations.h"

namespace strata::testing {

Stream Operator::contribution(std::uint64_t key, int rank, std::size_t values) const {
    Random random(mix(key, rank, 31));
    Stream stream(values * value_bytes);
    for (std::size_t i = 0; i < values; ++i) {
        make(random, stream.data() + i * value_bytes);
    }
    return stream;
}

Stream Operator::combined(std::uint64_t key, int ranks, std::size_t values) const {
    Stream result = contribution(key, ranks - 1, values);
    for (int rank = ranks - 2; rank >= 0; --rank) {
        const Stream left = contribution(key, rank, values);
        for (std::size_t i = 0; i < values; ++i) {
            combine(left.data() + i * value_bytes, result.data() + i * value_bytes);
        }
    }
    return result;
}

TypedArgument Operator::argument(Random& random, int values, bool plain, bool count_zero) const {
    if (!user()) {
        return {TypedLayout::predefined(type, elements), values};
    }
    if (values == 0) {
        return count_zero
                   ? TypedArgument{TypedLayout::duplicate(*item), 0}
                   : TypedArgument{TypedLayout::contiguous(0, *item), static_cast<int>(random.between(1, 5))};
    }
    if (plain) {
        return {TypedLayout::duplicate(*item), values};
    }
    return random_argument(random, *item, values);
}

namespace {

template <class T>
void add_one(std::vector<Operator>& all, const std::string& type_name, MPI_Datatype type,
             const std::string& op_name, MPI_Op op, Operator::Make make, Operator::Combine combine) {
    Operator made;
    made.name = op_name + " of " + type_name;
    made.op = op;
    made.type = type;
    made.elements = {{0, sizeof(T)}};
    made.value_bytes = sizeof(T);
    made.make = make;
    made.combine = combine;
    all.push_back(std::move(made));
}

template <class T>
void add_arithmetic(std::vector<Operator>& all, const std::string& name, MPI_Datatype type) {
    add_one<T>(all, name, type, "MPI_SUM", MPI_SUM, make_term<T>, combine_by<T, sum<T>>);
    add_one<T>(all, name, type, "MPI_PROD", MPI_PROD, make_factor<T>, combine_by<T, product<T>>);
    add_one<T>(all, name, type, "MPI_MAX", MPI_MAX, make_ordered<T>, combine_by<T, larger<T>>);
    add_one<T>(all, name, type, "MPI_MIN", MPI_MIN, make_ordered<T>, combine_by<T, smaller<T>>);
}

template <class T>
void add_logical(std::vector<Operator>& all, const std::string& name, MPI_Datatype type) {
    add_one<T>(all, name, type, "MPI_LAND", MPI_LAND, make_truth<T>, combine_by<T, logical_and<T>>);
    add_one<T>(all, name, type, "MPI_LOR", MPI_LOR, make_truth<T>, combine_by<T, logical_or<T>>);
    add_one<T>(all, name, type, "MPI_LXOR", MPI_LXOR, make_truth<T>, combine_by<T, logical_xor<T>>);
}

template <class T>
void add_bitwise(std::vector<Operator>& all, const std::string& name, MPI_Datatype type) {
    add_one<T>(all, name, type, "MPI_BAND", MPI_BAND, make_bits<T>, combine_by<T, bit_and<T>>);
    add_one<T>(all, name, type, "MPI_BOR", MPI_BOR, make_bits<T>, combine_by<T, bit_or<T>>);
    add_one<T>(all, name, type, "MPI_BXOR", MPI_BXOR, make_bits<T>, combine_by<T, bit_xor<T>>);
}

template <class T>
void add_integer(std::vector<Operator>& all, const std::string& name, MPI_Datatype type) {
    add_arithmetic<T>(all, name, type);
    add_logical<T>(all, name, type);
    add_bitwise<T>(all, name, type);
}

template <class T>
void add_pair(std::vector<Operator>& all, const std::string& name, MPI_Datatype type) {
    struct Pair {  // as the standard defines it: gaps included
        T value;
        int index;
    };
    for (const bool least : {true, false}) {
        Operator made;
        made.name = std::string(least ? "MPI_MINLOC" : "MPI_MAXLOC") + " of " + name;
        made.op = least ? MPI_MINLOC : MPI_MAXLOC;
        made.type = type;
        made.elements = {{offsetof(Pair, value), sizeof(T)}, {offsetof(Pair, index), sizeof(int)}};
        made.value_bytes = sizeof(T) + sizeof(int);
        made.make = make_pair_of<T>;
        made.combine = least ? combine_located<T, true> : combine_located<T, false>;
        all.push_back(std::move(made));
    }
}

}  // namespace

void Operators::add_integers() {
    add_integer<std::int8_t>(all_, "MPI_INT8_T", MPI_INT8_T);
    add_integer<std::uint8_t>(all_, "MPI_UINT8_T", MPI_UINT8_T);
    add_integer<std::int16_t>(all_, "MPI_INT16_T", MPI_INT16_T);
    add_integer<std::uint16_t>(all_, "MPI_UINT16_T", MPI_UINT16_T);
    add_integer<std::int32_t>(all_, "MPI_INT32_T", MPI_INT32_T);
    add_integer<std::uint32_t>(all_, "MPI_UINT32_T", MPI_UINT32_T);
    add_integer<std::int64_t>(all_, "MPI_INT64_T", MPI_INT64_T);
    add_integer<std::uint64_t>(all_, "MPI_UINT64_T", MPI_UINT64_T);
    add_integer<int>(all_, "MPI_INT", MPI_INT);
    add_integer<long>(all_, "MPI_LONG", MPI_LONG);
    add_bitwise<std::uint8_t>(all_, "MPI_BYTE", MPI_BYTE);
    add_logical<std::uint8_t>(all_, "MPI_C_BOOL", MPI_C_BOOL);
    end_family();
}

void Operators::add_real_numbers() {
    add_arithmetic<float>(all_, "MPI_FLOAT", MPI_FLOAT);
    add_arithmetic<double>(all_, "MPI_DOUBLE", MPI_DOUBLE);
    end_family();
    // Sums whose last bits depend on the order.
    add_one<float>(all_, "MPI_FLOAT, any numbers", MPI_FLOAT, "MPI_SUM", MPI_SUM, make_any_real<float>,
                   combine_by<float, sum<float>>);
    all_.back().exact = false;
    add_one<double>(all_, "MPI_DOUBLE, any numbers", MPI_DOUBLE, "MPI_SUM", MPI_SUM, make_any_real<double>,
                    combine_by<double, sum<double>>);
    all_.back().exact = false;
    end_family();
}

void Operators::add_pairs() {
    add_pair<short>(all_, "MPI_SHORT_INT", MPI_SHORT_INT);
    add_pair<int>(all_, "MPI_2INT", MPI_2INT);
    add_pair<long>(all_, "MPI_LONG_INT", MPI_LONG_INT);
    add_pair<float>(all_, "MPI_FLOAT_INT", MPI_FLOAT_INT);
    add_pair<double>(all_, "MPI_DOUBLE_INT", MPI_DOUBLE_INT);
    end_family();
}

void Operators::add_user_operations() {
    for (UserOperation& operation : make_user_operations()) {
        Operator made;
        made.name = std::move(operation.name);
        made.op = operation.op;
        made.item = std::make_shared<const TypedLayout>(std::move(operation.item));
        made.value_bytes = made.item->bytes();
        made.make = operation.make;
        made.combine = operation.combine;
        all_.push_back(std::move(made));
    }
    end_family();
}

Operators::Operators(const Session& session) {
    add_integers();
    add_real_numbers();
    add_pairs();
    add_user_operations();
    reverse_operands(session.sabotage_is("order"));
}

Operators::~Operators() {
    for (Operator& one : all_) {
        if (one.user()) {
            MPI_Op_free(&one.op);
        }
    }
    free_layout_key();
}

std::size_t Operators::named(const std::string& name) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].name == name) {
            return i;
        }
    }
    std::fprintf(stderr, "there is no operator '%s'\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
    return 0;
}

std::size_t Operators::draw(Random& random) const {
    const auto family =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(families_.size()) - 1));
    const std::size_t begin = family == 0 ? 0 : families_[family - 1];
    return static_cast<std::size_t>(
        random.between(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(families_[family]) - 1));
}

void Operators::attach(const TypedLayout& layout) const { remember_layout(layout); }

}  // namespace strata::testing
