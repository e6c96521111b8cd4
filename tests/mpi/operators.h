#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "typed_layout.h"

namespace strata::testing {

/// A reduction on values of `value_bytes` packed bytes, by MPI and by plain code.
struct Operator {
    using Make = void (*)(Random& random, std::uint8_t* value);
    /// right = left (operator) right, both packed.
    using Combine = void (*)(const std::uint8_t* left, std::uint8_t* right);

    std::string name;
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;              ///< predefined datatype; null for user operators
    std::vector<Element> elements;                      ///< packed bytes of one value of `type`
    std::shared_ptr<const TypedLayout> item = nullptr;  ///< layout of one value of a user operator
    std::size_t value_bytes = 0;
    Make make = nullptr;
    Combine combine = nullptr;
    /// Every order of evaluation gives the same bits. Otherwise (doubles of very different sizes) tests can
    /// only require equal bits on all ranks and in every call.
    bool exact = true;

    bool user() const { return item != nullptr; }

    /// `values` values as one rank's contribution.
    Stream contribution(std::uint64_t key, int rank, std::size_t values) const;
    /// The contributions of `ranks` ranks combined in rank order.
    Stream combined(std::uint64_t key, int ranks, std::size_t values) const;
    /// Returns the argument for MPI of `values` values: the plain type, or for user operators maybe a
    /// derived one, the same from equal states of `random`. Without values: count 0, or items without data.
    TypedArgument argument(Random& random, int values, bool plain, bool count_zero) const;
};

/// All operators of the tests: predefined ones on integers, floating-point numbers and pairs, and user
/// operations on any derived datatype, commutative and not. Owns their MPI objects.
class Operators {
public:
    /// With --sabotage order the user operations swap their operands.
    explicit Operators(const Session& session);
    ~Operators();
    Operators(const Operators&) = delete;
    Operators& operator=(const Operators&) = delete;

    const Operator& operator[](std::size_t i) const { return all_[i]; }
    std::size_t size() const { return all_.size(); }
    /// Returns the operator with this name: "MPI_SUM of MPI_INT32_T", "matrix product". Aborts when there
    /// is none.
    std::size_t named(const std::string& name) const;
    /// Returns a random operator; every family is equally likely.
    std::size_t draw(Random& random) const;
    /// Registers where the values of a datatype are, for user operations. Call it before the collective;
    /// `layout` must stay in place until the collective ends.
    void attach(const TypedLayout& layout) const;

private:
    void add_integers();
    void add_real_numbers();
    void add_pairs();
    void add_user_operations();
    void end_family() { families_.push_back(all_.size()); }

    std::vector<Operator> all_;
    std::vector<std::size_t> families_;  ///< where each family ends in all_
};

}  // namespace strata::testing
