#include "component/communicator/node_memory.h"

#include <exception>

#include "component/base/cancellation.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {
namespace {

SharedSegments::Process first_process(ompi_communicator_t* comm) {
    const auto name = ompi_group_get_proc_name(comm->c_local_group, 0);
    return {name.jobid, name.vpid};
}

std::unique_ptr<NodeMemory> try_to_make(ompi_communicator_t* comm, int polls) noexcept {
    const HoldCancellation hold;
    try {
        return std::make_unique<NodeMemory>(comm, polls);
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace

NodeMemory::NodeMemory(ompi_communicator_t* comm, int polls)
    : owner_(first_process(comm)),
      boards_(ompi_comm_size(comm), ompi_comm_rank(comm),
              {polls, [] { opal_progress(); }, MPI_ERR_TRUNCATE}) {
    if (boards_.rank() != 0) {
        shared_segments().join(owner_);
        return;
    }
    loan_ = shared_segments().borrow(static_cast<std::size_t>(boards_.ranks()));
    if (loan_) mapped_ = shared_segments().boards(*loan_);
}

NodeMemory::~NodeMemory() {
    if (state_ == State::in_use) boards_.leave();
    if (boards_.rank() != 0) {
        shared_segments().leave(owner_);
    } else if (loan_) {
        shared_segments().give_back(*loan_, state_ != State::idle);
    }
}

BoardsOffer NodeMemory::offer() const {
    BoardsOffer words = no_boards;
    if (boards_.rank() != 0) {
        words[mapped] = shared_segments().mapped(owner_);
    } else if (loan_) {
        words = {loan_->place.token, loan_->place.file,
                 static_cast<std::uint64_t>(loan_->segment) << 32 | loan_->first, none};
    }
    return words;
}

void NodeMemory::take(const BoardsOffer& least) noexcept {
    state_ = State::idle;
    if (least[token] == none) return;
    const auto segment = static_cast<std::uint32_t>(least[place] >> 32);
    if (boards_.rank() != 0) {
        loan_ = {{least[token], least[file]},
                 segment,
                 static_cast<std::uint32_t>(least[place]),
                 static_cast<std::uint32_t>(boards_.ranks())};
    }
    if (least[mapped] > segment && map()) begin();
}

/// Returns false if this rank cannot map the boards, or there are none.
bool NodeMemory::map() noexcept {
    const HoldCancellation hold;
    if (boards_.rank() != 0 && loan_) mapped_ = shared_segments().map(owner_, *loan_);
    return !mapped_.empty();
}

void NodeMemory::begin() noexcept {
    boards_.use(mapped_);
    state_ = State::in_use;
}

algorithms::Task NodeMemory::make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least, int polls,
                                  std::unique_ptr<NodeMemory>& memory) {
    bool any = memory == nullptr || memory->loan_;
    if (memory == nullptr) {
        memory = try_to_make(comm, polls);
        BoardsOffer words = memory != nullptr ? memory->offer() : no_boards;
        if (const int rc = co_await least.exchange(set_up, words); rc != OMPI_SUCCESS) co_return rc;
        if (memory != nullptr) memory->take(words);
        any = words[token] != none;
    }
    if (!any) memory.reset();
    if (!any || (memory != nullptr && memory->boards() != nullptr)) co_return OMPI_SUCCESS;
    std::uint64_t able = memory != nullptr && memory->map() ? none : 0;
    if (memory != nullptr) memory->state_ = State::offered;
    const int rc = co_await least.exchange(set_up, {&able, 1});
    if (rc != OMPI_SUCCESS) co_return rc;
    if (memory != nullptr) memory->state_ = State::idle;
    if (able != 0) {
        memory->begin();
    } else {
        memory.reset();
    }
    co_return rc;
}

}  // namespace strata::component
