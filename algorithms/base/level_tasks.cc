#include "algorithms/base/level_tasks.h"

namespace strata::algorithms {

CollectiveTasks tasks_of(Collective collective) {
    using enum LevelTask;
    switch (collective) {
        case Collective::bcast: return {{bcast}, {bcast}};
        case Collective::reduce: return {{reduce}, {reduce}};
        case Collective::allreduce: return {{allreduce, reduce, bcast}, {reduce, bcast}};
        case Collective::allgather: return {{allgather, allgatherv, gather, bcast}, {gather, bcast}};
        case Collective::allgatherv: return {{allgatherv, gather, bcast}, {gather, bcast}};
        case Collective::gather:
        case Collective::gatherv: return {{gather}, {gather}};
        case Collective::scatter:
        case Collective::scatterv: return {{scatter}, {scatter}};
        case Collective::barrier: return {{barrier}, {barrier}};
        case Collective::count: break;
    }
    return {};
}

bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits) {
    if (algorithm == Algorithm::rabenseifner) return traits.exchanges && traits.folds;
    return algorithm == Algorithm::recursive_doubling && traits.exchanges;
}

}  // namespace strata::algorithms
