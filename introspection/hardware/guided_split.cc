#include <cstdint>
#include <map>
#include <vector>

#include "communicator_facts.h"
#include "level_names.h"
#include "split.h"
#include "topology/text.h"

namespace strata::introspection {
namespace {

/// The object that contains a process, if any.
struct Answer {
    enum State : std::uint64_t { nowhere, inside } state = nowhere;
    std::uint64_t object = 0;
};

Answer own_answer(const Members& members, int rank, const topology::LevelPattern& level) {
    const auto object =
        level.kind == topology::LevelKind::switch_
            ? members.heights->at(members.records[static_cast<std::size_t>(rank)].network_path,
                                  level.height.value_or(0))
            : members.objects[static_cast<std::size_t>(level.kind)];
    return object ? Answer{Answer::inside, *object} : Answer{};
}

/// Identifies the processes that share memory by their lowest rank. Collective, also without `wanted`.
Answer shared_memory_answer(MPI_Comm comm, int rank, bool wanted) {
    MPI_Comm shared = MPI_COMM_NULL;
    require_handled(
        MPI_Comm_split_type(comm, wanted ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &shared));
    if (shared == MPI_COMM_NULL) return {};
    const Communicator owned(shared);
    std::uint64_t lowest = static_cast<std::uint64_t>(rank);
    require_handled(MPI_Bcast(&lowest, 1, MPI_UINT64_T, 0, shared));
    return {Answer::inside, lowest};
}

std::vector<Answer> all_answers(MPI_Comm comm, const Answer& own) {
    static_assert(sizeof(Answer) == 2 * sizeof(std::uint64_t));
    int size = 0;
    require_handled(MPI_Comm_size(comm, &size));
    std::vector<Answer> answers(static_cast<std::size_t>(size));
    require_handled(MPI_Allgather(&own, 2, MPI_UINT64_T, answers.data(), 2, MPI_UINT64_T, comm));
    return answers;
}

}  // namespace

std::optional<Guide> Guide::named(const std::string& type) {
    const std::string name = topology::lower_case(topology::trimmed(type));
    auto level = level_of_type(name);
    if (!level) return std::nullopt;
    if (level->kind == topology::LevelKind::switch_ && !level->height) level->height = std::uint8_t{0};
    return Guide{*level, name == "mpi_shared_memory"};
}

Guide Guide::numbered(int number) {
    const int code = number - 1;
    return {{static_cast<topology::LevelKind>(code / 512), static_cast<std::uint8_t>(code / 2 % 256)},
            code % 2 != 0};
}

int Guide::number() const {
    return 1 + 512 * static_cast<int>(level.kind) + 2 * level.height.value_or(0) + (shared_memory ? 1 : 0);
}

Communicator split_by_guide(MPI_Comm comm, int key, const Guide& guide, bool takes_part) {
    const auto members = members_of(comm);
    int rank = 0;
    require_handled(MPI_Comm_rank(comm, &rank));
    Answer own;
    if (guide.shared_memory) {
        own = shared_memory_answer(comm, rank, takes_part);
    } else if (takes_part) {
        own = own_answer(*members, rank, guide.level);
    }
    std::map<std::uint64_t, int> index_of;  // numbered by lowest rank
    for (const Answer& answer : all_answers(comm, own)) {
        if (answer.state == Answer::inside)
            index_of.try_emplace(answer.object, static_cast<int>(index_of.size()));
    }
    const int index = own.state == Answer::inside ? index_of.at(own.object) : MPI_UNDEFINED;
    MPI_Comm made = MPI_COMM_NULL;
    require_handled(MPI_Comm_split(comm, index, key, &made));
    Communicator owned(made);
    if (!owned.null()) {
        keep_members(made, comm, *members);
        const topology::LevelKey named{guide.level.kind, guide.level.height.value_or(0)};
        keep_level(made, {static_cast<int>(index_of.size()), index, type_name(named)});
    }
    return owned;
}

}  // namespace strata::introspection
