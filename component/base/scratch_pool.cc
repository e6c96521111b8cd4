#include "component/base/scratch_pool.h"

#include "component/base/process_wide.h"

namespace strata::component {

algorithms::ArenaPool& scratch_pool() {
    static ProcessWide<algorithms::ArenaPool> pool;
    return pool.get();
}

}  // namespace strata::component
