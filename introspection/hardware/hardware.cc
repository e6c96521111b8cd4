#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "MPIX_Hardware.h"
#include "agreement.h"
#include "communicator_facts.h"
#include "level_names.h"
#include "returned.h"
#include "split.h"
#include "topology/hierarchy.h"

// The C interface: contracts are in MPIX_Hardware.h. No exception escapes.
namespace {

using namespace strata::introspection;

/// Returns an array, which C programs can free, for the communicators of all steps.
std::unique_ptr<MPI_Comm[]> array_for(const std::vector<Step>& steps, bool wanted) {
    return wanted ? std::make_unique<MPI_Comm[]>(steps.size()) : nullptr;
}

void hand_out(std::vector<Step>& steps, Communicator Step::*member, std::unique_ptr<MPI_Comm[]> array,
              MPI_Comm** to) noexcept {
    if (to == nullptr) return;
    std::transform(steps.begin(), steps.end(), array.get(),
                   [&](Step& step) { return (step.*member).release(); });
    *to = array.release();
}

void free_all(int count, MPI_Comm** communicators) {
    if (communicators == nullptr || *communicators == nullptr) return;
    const std::unique_ptr<MPI_Comm[]> owned(*communicators);
    *communicators = nullptr;
    for (int i = count; i-- > 0;) {
        if (owned[static_cast<std::size_t>(i)] != MPI_COMM_NULL) {
            require_handled(MPI_Comm_free(&owned[static_cast<std::size_t>(i)]));
        }
    }
}

/// Sets an output to its value after errors, before anything can fail.
template <class Value>
void set(Value* result, Value value) {
    if (result != nullptr) *result = value;
}

/// Agrees on the options of a split: roots are made if any member wants them. `check` throws for wrong
/// arguments.
template <class Check>
SplitOptions agreed_options(MPI_Comm comm, bool roots, MPI_Info info, Check&& check) {
    int nic_local = Common::none;
    int scope = Common::none;
    const MpiError own = outcome_of([&] {
        check();
        if (roots) nic_local = wants_nic_local(info) ? 1 : 0;
        scope = static_cast<int>(wanted_scope(info));
    });
    const auto most = agreed(
        comm, own, {roots ? 1 : 0, nic_local, Common::mirrored(nic_local), scope, Common::mirrored(scope)});
    if (!Common::holds(most[1], most[2]) || !Common::holds(most[3], most[4]))
        throw MpiError{MPI_ERR_INFO_VALUE};
    return {most[0] != 0, most[1] == 1, static_cast<Scope>(most[3])};
}

/// The request of a split by type, equal on all members except those with MPI_UNDEFINED.
struct AskedType {
    int type = MPI_UNDEFINED;
    int guide = 0;  ///< Guide::number()
};

AskedType agreed_type(MPI_Comm comm, int split_type, MPI_Info info, const MPI_Comm* newcomm) {
    AskedType asked{split_type == MPI_UNDEFINED ? Common::none : split_type, Common::none};
    const MpiError own = outcome_of([&] {
        require_argument(newcomm);
        if (split_type != MPIX_COMM_TYPE_HW_GUIDED) return;
        const auto guide = Guide::named(info_value(info, "mpi_hw_resource_type"));
        asked.guide = guide ? guide->number() : 0;
    });
    const auto most = agreed(
        comm, own, {asked.type, Common::mirrored(asked.type), asked.guide, Common::mirrored(asked.guide)});
    if (!Common::holds(most[0], most[1])) throw MpiError{MPI_ERR_ARG};
    if (!Common::holds(most[2], most[3])) throw MpiError{MPI_ERR_INFO_VALUE};
    return {most[0], most[2]};
}

/// Splits by the next level below what the participating members share.
Communicator split_unguided(MPI_Comm comm, int key, bool takes_part) {
    const auto members = members_of(comm);
    MPI_Comm made = MPI_COMM_NULL;
    require_handled(MPI_Comm_split(comm, takes_part ? 0 : MPI_UNDEFINED, 0, &made));
    if (!takes_part) return {};
    const Communicator part(made);
    keep_members(made, comm, *members);
    return split(made, {}, key).child;
}

/// Splits by a type of MPI. The result keeps its members' locality, as all communicators made here.
Communicator split_by_mpi(MPI_Comm comm, int split_type, int key, MPI_Info info) {
    const auto members = members_of(comm);
    MPI_Comm made = MPI_COMM_NULL;
    require_handled(MPI_Comm_split_type(comm, split_type, key, info, &made));
    Communicator owned(made);
    if (!owned.null()) keep_members(made, comm, *members);
    return owned;
}

const char* lowest_shared_type(MPI_Comm comm, const Members& members, const std::vector<int>& ranks) {
    int own = 0;
    require_handled(MPI_Comm_rank(comm, &own));
    Records listed;
    for (const int rank : ranks) {
        if (rank < 0 || rank >= static_cast<int>(members.records.size())) throw MpiError{MPI_ERR_RANK};
        listed.push_back(members.records[static_cast<std::size_t>(rank)]);
    }
    if (std::find(ranks.begin(), ranks.end(), own) == ranks.end()) return MPIX_HLEVEL_UNKNOWN;
    return type_name(strata::topology::build_hierarchy(listed).groups.front(), members, listed);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPIX_Comm_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm) {
    return returned(oldcomm, [&] {
        set(newcomm, MPI_COMM_NULL);
        require_communicator(oldcomm);
        const SplitOptions wishes = agreed_options(oldcomm, false, info, [&] { require_argument(newcomm); });
        *newcomm = split(oldcomm, wishes).child.release();
    });
}

int MPIX_Comm_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm, MPI_Comm* rootscomm) {
    return returned(oldcomm, [&] {
        set(newcomm, MPI_COMM_NULL);
        set(rootscomm, MPI_COMM_NULL);
        require_communicator(oldcomm);
        const SplitOptions wishes = agreed_options(oldcomm, true, info, [&] {
            require_argument(newcomm);
            require_argument(rootscomm);
        });
        Step step = split(oldcomm, wishes);
        *newcomm = step.child.release();
        *rootscomm = step.roots.release();
    });
}

int MPIX_Comm_hierarchy(MPI_Comm comm, MPI_Info info, int* nlevels, MPI_Comm** newcomms,
                        MPI_Comm** rootscomms) {
    return returned(comm, [&] {
        set(nlevels, 0);
        set<MPI_Comm*>(newcomms, nullptr);
        set<MPI_Comm*>(rootscomms, nullptr);
        require_communicator(comm);
        const SplitOptions wishes =
            agreed_options(comm, rootscomms != nullptr, info, [&] { require_argument(nlevels); });
        std::vector<Step> steps = split_all(comm, wishes);
        // Only other members want roots: the caller's membership in these is no step of its own.
        if (rootscomms == nullptr && !steps.empty() && steps.back().child.null()) steps.pop_back();
        auto children = array_for(steps, newcomms != nullptr);
        auto roots = array_for(steps, rootscomms != nullptr);
        *nlevels = static_cast<int>(steps.size());
        hand_out(steps, &Step::child, std::move(children), newcomms);
        hand_out(steps, &Step::roots, std::move(roots), rootscomms);
    });
}

int MPIX_Comm_hierarchy_free(int nlevels, MPI_Comm** newcomms, MPI_Comm** rootscomms) {
    return returned(MPI_COMM_NULL, [&] {
        free_all(nlevels, rootscomms);
        free_all(nlevels, newcomms);
    });
}

int MPIX_Comm_get_hlevel_info(MPI_Comm comm, int* num_comms, int* index, char** type) {
    return returned(comm, [&] {
        set(num_comms, 0);
        set(index, 0);
        set<char*>(type, nullptr);
        if (comm == MPI_COMM_NULL) throw MpiError{MPI_ERR_COMM};
        const LevelFacts* facts = level_of(comm);
        if (facts == nullptr) throw MpiError{MPI_ERR_COMM};
        set(num_comms, facts->siblings);
        set(index, facts->index);
        set(type, const_cast<char*>(facts->type));
    });
}

int MPIX_Comm_get_min_hlevel(MPI_Comm comm, int nranks, const int ranks[], char** type) {
    return returned(comm, [&] {
        set(type, const_cast<char*>(MPIX_HLEVEL_UNKNOWN));
        if (comm == MPI_COMM_NULL) return require_argument(type);
        require_communicator(comm);
        const auto members = members_of(comm);  // may be collective: before checks of other arguments
        require_argument(type);
        if (nranks < 0 || (nranks > 0 && ranks == nullptr)) throw MpiError{MPI_ERR_ARG};
        *type =
            const_cast<char*>(lowest_shared_type(comm, *members, std::vector<int>(ranks, ranks + nranks)));
    });
}

int MPIX_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    return returned(comm, [&] {
        set(newcomm, MPI_COMM_NULL);
        require_communicator(comm);
        const AskedType asked = agreed_type(comm, split_type, info, newcomm);
        const bool takes_part = split_type != MPI_UNDEFINED;
        if (asked.type == MPIX_COMM_TYPE_HW_UNGUIDED) {
            *newcomm = split_unguided(comm, key, takes_part).release();
        } else if (asked.type != MPIX_COMM_TYPE_HW_GUIDED) {
            *newcomm = split_by_mpi(comm, split_type, key, info).release();
        } else if (asked.guide != 0) {
            *newcomm = split_by_guide(comm, key, Guide::numbered(asked.guide), takes_part).release();
        }
    });
}

}  // extern "C"
#pragma GCC visibility pop
