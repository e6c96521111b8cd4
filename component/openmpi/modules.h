#pragma once
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// The modules that Open MPI selected for a communicator, in ascending order of priority; a range. Empty
/// while the communicator has none.
class SelectedModules {
public:
    class Iterator {
    public:
        explicit Iterator(opal_list_item_t* item) : item_(item) {}
        const mca_coll_base_avail_coll_t& operator*() const {
            return *reinterpret_cast<const mca_coll_base_avail_coll_t*>(item_);
        }
        Iterator& operator++() {
            item_ = opal_list_get_next(item_);
            return *this;
        }
        bool operator==(const Iterator&) const = default;

    private:
        opal_list_item_t* item_;
    };

    explicit SelectedModules(const ompi_communicator_t* comm)
        : list_(comm->c_coll != nullptr ? comm->c_coll->module_list : nullptr) {}

    Iterator begin() const { return Iterator(list_ != nullptr ? opal_list_get_first(list_) : nullptr); }
    Iterator end() const { return Iterator(list_ != nullptr ? opal_list_get_end(list_) : nullptr); }

private:
    opal_list_t* list_;
};

}  // namespace strata::component
