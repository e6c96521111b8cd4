// Tests operators of the program that write whole array elements, including bytes that the datatype omits
// at their begin and end, and elements whose alignment is stricter than that of the datatype's members.
//
//   whole_elements [--items N]
#include <cstdint>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

struct alignas(16) Item {
    double before;  // not in the datatype
    double value;
    double half;
    double behind;  // nor this
};

bool aligned = true;

void add(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* from = static_cast<const Item*>(in);
    auto* to = static_cast<Item*>(inout);
    aligned = aligned && reinterpret_cast<std::uintptr_t>(from) % alignof(Item) == 0 &&
              reinterpret_cast<std::uintptr_t>(to) % alignof(Item) == 0;
    for (int i = 0; i < *count; ++i) {
        to[i] = {-1, to[i].value + from[i].value, to[i].half + from[i].half, -2};
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto items = static_cast<int>(session.number("--items", 3001));
    session.reject_other_arguments();
    {
        MPI_Datatype pair = MPI_DATATYPE_NULL, inner = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
        const MPI_Aint place = offsetof(Item, value);
        const int two = 2;
        MPI_Type_contiguous(two, MPI_DOUBLE, &pair);
        const int one = 1;
        MPI_Type_create_hindexed(1, &one, &place, pair, &inner);
        MPI_Type_create_resized(inner, 0, sizeof(Item), &type);
        MPI_Type_commit(&type);
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(add, 1, &op);
        std::vector<Item> own(static_cast<std::size_t>(items));
        for (int i = 0; i < items; ++i) {
            own[static_cast<std::size_t>(i)] = {3, static_cast<double>(i + session.rank()), 0.5 * i, 4};
        }
        const double size = session.size();
        const double ranks = size * (size - 1) / 2;
        for (const bool all : {true, false}) {
            session.at(all ? "Allreduce" : "Reduce");
            std::vector<Item> sum(own.size());
            if (all) {
                MPI_Allreduce(own.data(), sum.data(), items, type, op, MPI_COMM_WORLD);
            } else {
                MPI_Reduce(own.data(), sum.data(), items, type, op, 1, MPI_COMM_WORLD);
            }
            for (int i = 0; (all || session.rank() == 1) && i < items; ++i) {
                const Item& item = sum[static_cast<std::size_t>(i)];
                const double wanted = i * size + ranks + (session.sabotages("sum") ? 1 : 0);
                if (item.value != wanted || item.half != 0.5 * i * size) {
                    session.fail("item %d: %g and %g, expected %g and %g", i, item.value, item.half, wanted,
                                 0.5 * i * size);
                    break;
                }
            }
            session.expect(aligned, "elements are not aligned");
        }
        MPI_Op_free(&op);
        for (MPI_Datatype* one_of : {&pair, &inner, &type}) MPI_Type_free(one_of);
    }
    return session.finish();
}
