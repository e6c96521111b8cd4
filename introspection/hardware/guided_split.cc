#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <vector>

#include "communicator_facts.h"
#include "level_names.h"
#include "own_place.h"
#include "split.h"

namespace strata::introspection {
namespace {

/// How a process answers, and which object it is in.
struct Answer {
    enum State : std::uint64_t { nowhere, inside, failed } state = nowhere;
    std::uint64_t object = 0;
};

Answer own_answer(const topology::LevelPattern& level) {
    try {
        const auto object = own_object(level);
        return object ? Answer{Answer::inside, *object} : Answer{};
    } catch (const std::exception& error) {
        std::fprintf(stderr, "strata-introspection: %s\n", error.what());
        return {Answer::failed, 0};
    }
}

std::vector<Answer> all_answers(MPI_Comm comm, const Answer& own) {
    static_assert(sizeof(Answer) == 2 * sizeof(std::uint64_t));
    int size = 0;
    require(MPI_Comm_size(comm, &size));
    std::vector<Answer> answers(static_cast<std::size_t>(size));
    require(MPI_Allgather(&own, 2, MPI_UINT64_T, answers.data(), 2, MPI_UINT64_T, comm));
    for (const Answer& answer : answers) {
        if (answer.state == Answer::failed) throw MpiError{MPI_ERR_OTHER};
    }
    return answers;
}

}  // namespace

MPI_Comm split_by_type(MPI_Comm comm, int key, const std::string& type) {
    auto level = level_of_type(type);
    if (!level) return MPI_COMM_NULL;
    if (level->kind == topology::LevelKind::switch_ && !level->height) level->height = std::uint8_t{0};
    const Answer own = own_answer(*level);
    std::map<std::uint64_t, int> index_of;  // by lowest rank
    for (const Answer& answer : all_answers(comm, own)) {
        if (answer.state == Answer::inside)
            index_of.try_emplace(answer.object, static_cast<int>(index_of.size()));
    }
    const int index = own.state == Answer::inside ? index_of.at(own.object) : MPI_UNDEFINED;
    MPI_Comm made = MPI_COMM_NULL;
    require(MPI_Comm_split(comm, index, key, &made));
    if (made != MPI_COMM_NULL) {
        const topology::LevelKey named{level->kind, level->height.value_or(0)};
        keep_level(made, {static_cast<int>(index_of.size()), index, type_name(named)});
    }
    return made;
}

}  // namespace strata::introspection
