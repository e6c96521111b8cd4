#pragma once
// Slots of a communicator's table of collectives, and the pass-through of a call.
#include <utility>

#include "component/base/collectives.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// A function and its module, as a slot of the communicator holds them.
template <class Function>
struct SlotContent {
    Function function = nullptr;
    mca_coll_base_module_t* module = nullptr;  ///< the holder owns one reference
    bool keeps_slots = false;                  ///< its component writes to no slot during a call
};

/// Access to one collective's slot in the communicator's table and in a module, signature included.
template <Collective op>
struct Slot;

#define STRATA_COLLECTIVE(op, ...)                                                              \
    template <>                                                                                 \
    struct Slot<Collective::op> {                                                               \
        using Function = decltype(mca_coll_base_comm_coll_t::coll_##op);                        \
        static Function& function(mca_coll_base_comm_coll_t& table) { return table.coll_##op; } \
        static mca_coll_base_module_t*& module(mca_coll_base_comm_coll_t& table) {              \
            return table.coll_##op##_module;                                                    \
        }                                                                                       \
        static Function& offered(mca_coll_base_module_t& module) { return module.coll_##op; }   \
    };
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

/// Puts the saved content into the slot during its lifetime. The slot's content at the end becomes the saved
/// content: the underlying component may have replaced itself (han does, on unequal nodes).
template <Collective op>
class SlotGuard {
public:
    using Function = typename Slot<op>::Function;
    SlotGuard(mca_coll_base_comm_coll_t& table, SlotContent<Function>& saved)
        : table_(table), saved_(saved), outer_{Slot<op>::function(table), Slot<op>::module(table)} {
        put(saved_);
    }
    SlotGuard(const SlotGuard&) = delete;
    SlotGuard& operator=(const SlotGuard&) = delete;
    ~SlotGuard() {
        saved_ = {Slot<op>::function(table_), Slot<op>::module(table_)};
        put(outer_);
    }
    Function function() const { return Slot<op>::function(table_); }
    mca_coll_base_module_t* module() const { return Slot<op>::module(table_); }

private:
    void put(const SlotContent<Function>& content) {
        Slot<op>::function(table_) = content.function;
        Slot<op>::module(table_) = content.module;
    }
    mca_coll_base_comm_coll_t& table_;
    SlotContent<Function>& saved_;
    SlotContent<Function> outer_;
};

template <Collective op, class... Arguments>
[[gnu::noinline]] int forward_guarded(ompi_communicator_t* comm,
                                      SlotContent<typename Slot<op>::Function>& saved,
                                      Arguments... arguments) {
    SlotGuard<op> guard(*comm->c_coll, saved);
    return guard.function()(arguments..., comm, guard.module());
}

/// Passes a call through: calls the saved function as if this component were absent.
template <Collective op, class... Arguments>
[[gnu::always_inline]] inline int forward(ompi_communicator_t* comm,
                                          SlotContent<typename Slot<op>::Function>& saved,
                                          Arguments... arguments) {
    return saved.keeps_slots ? saved.function(arguments..., comm, saved.module)
                             : forward_guarded<op>(comm, saved, arguments...);
}

/// The content of the slots before this component took them over; holds one reference on each module.
struct SavedSlots {
#define STRATA_COLLECTIVE(op, ...) SlotContent<Slot<Collective::op>::Function> op;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

/// Returns the saved content of one slot.
template <Collective op>
SlotContent<typename Slot<op>::Function>& saved_slot(SavedSlots& saved);
#define STRATA_COLLECTIVE(op, ...)                                                                       \
    template <>                                                                                          \
    inline SlotContent<Slot<Collective::op>::Function>& saved_slot<Collective::op>(SavedSlots & saved) { \
        return saved.op;                                                                                 \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

}  // namespace strata::component
