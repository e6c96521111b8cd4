#include "parties.h"

#include <stdexcept>
#include <utility>

namespace bench {

namespace {

MPI_Comm duplicate(MPI_Comm comm, const Contender& contender) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : contender.info) MPI_Info_set(info, key.c_str(), value.c_str());
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(comm, info, &made);
    MPI_Info_free(&info);
    return made;
}

}  // namespace

Party::Party(Contender contender, MPI_Comm comm, std::span<const int> node_of, bool apart)
    : contender_(std::move(contender)),
      own_(apart ? duplicate(comm, contender_) : MPI_COMM_NULL),
      communicator_(MPI_Comm_c2f(apart ? own_ : comm)) {
    if (apart) MPI_Comm_set_name(own_, contender_.name.c_str());
    try {
        calls_ = algorithm_named(contender_.algorithm).make(apart ? own_ : comm, node_of);
    } catch (const std::invalid_argument& error) {  // on all ranks
        obstacle_ = error.what();
    }
}

Party::~Party() {
    calls_.reset();
    if (own_ != MPI_COMM_NULL) MPI_Comm_free(&own_);
}

std::string Party::obstacle(std::string_view operation) const {
    if (!obstacle_.empty()) return obstacle_;
    if (algorithm_named(contender_.algorithm).has(operation)) return "";
    return "it has no " + std::string(operation);
}

}  // namespace bench
