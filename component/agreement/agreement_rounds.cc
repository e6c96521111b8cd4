#include "component/agreement/agreement_rounds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <string_view>

#include "component/openmpi/messages.h"

namespace strata::component {
namespace {

using algorithms::Task;

/// The largest value: it never changes a minimum.
constexpr std::uint64_t neutral = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned failure_bits = 8;
constexpr std::size_t longest_text = 1024;  // bytes of a text about info keys or a plan
constexpr std::size_t most_named = 8;       // ranks

// All ranks contribute the same value if the minimum and the minimum of the complement are complements.
enum Word : std::size_t { keys, not_keys, facts, not_facts, failure, sound, keeper, boards };
using Words = std::array<std::uint64_t, boards + std::tuple_size_v<BoardsOffer>>;
static_assert(std::tuple_size_v<Words> <= MinAllreduce::most_words);

std::string node_at(ompi_communicator_t* comm, int rank) {
    const auto process = ompi_group_get_proc_name(comm->c_local_group, rank);
    return compat::node_names(process, {process.vpid});
}

/// Sets `words` on every rank to those of rank 0.
Task receive_first(SetUp& set_up, MinAllreduce& all, int rank, std::span<std::uint64_t> words) {
    if (rank != 0) {
        std::fill(words.begin(), words.end(), neutral);
    }
    int first = OMPI_SUCCESS;
    while (!words.empty()) {  // even after an error: other ranks wait for the messages
        const std::size_t piece = std::min(words.size(), MinAllreduce::most_words);
        const int rc = co_await all.exchange(set_up, words.first(piece));
        first = first == OMPI_SUCCESS ? rc : first;
        words = words.subspan(piece);
    }
    co_return first;
}

/// Finds the lowest ranks whose value differs from rank 0's, ascending; pads with `neutral`.
Task find_others(SetUp& set_up, MinAllreduce& all, int rank, std::uint64_t value,
                 std::span<std::uint64_t> others) {
    std::uint64_t first = value;
    int rc = co_await receive_first(set_up, all, rank, {&first, 1});
    std::uint64_t last = 0;
    for (std::uint64_t& other : others) {  // even after an error: other ranks wait
        const auto own = static_cast<std::uint64_t>(rank);
        other = value != first && own > last ? own : neutral;
        const int again = co_await all.exchange(set_up, {&other, 1});
        rc = rc == OMPI_SUCCESS ? again : rc;
        last = other;
    }
    co_return rc;
}

/// Sets `found` on the lowest rank whose value differs from rank 0's.
Task find_other(SetUp& set_up, MinAllreduce& all, int rank, std::uint64_t value, bool& found) {
    std::uint64_t other = neutral;
    const int rc = co_await find_others(set_up, all, rank, value, {&other, 1});
    found = other == static_cast<std::uint64_t>(rank);
    co_return rc;
}

/// The text of rank 0 on every rank, truncated to `longest_text`.
using SharedText = std::array<std::uint64_t, longest_text / sizeof(std::uint64_t)>;
const char* text_of(const SharedText& text) { return reinterpret_cast<const char*>(text.data()); }
Task receive_text(SetUp& set_up, MinAllreduce& all, int rank, std::string_view own, SharedText& first) {
    first.fill(0);
    own.copy(reinterpret_cast<char*>(first.data()), longest_text - 1);
    return receive_first(set_up, all, rank, first);
}

const char* explanation(Failure failure) {
    switch (failure) {
        case Failure::memory: return "it had no memory left";
        case Failure::topology: return "hwloc could not determine its hardware";
        default: return "an error in the plugin itself";
    }
}

Task report_keys(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm, const OwnSettings* own,
                 std::uint64_t hash) {
    static std::atomic<bool> done{false};
    const int rank = ompi_comm_rank(comm);
    std::string_view own_keys = "(none)";
    if (own != nullptr && !own->keys_text.empty()) {
        own_keys = own->keys_text;
    }
    SharedText first;
    bool other = false;
    const int before = co_await receive_text(set_up, all, rank, own_keys, first);
    const int after = co_await find_other(set_up, all, rank, hash, other);
    const int rc = before == OMPI_SUCCESS ? after : before;
    if (rc == OMPI_SUCCESS && other && !done.exchange(true)) {
        try_to([&] {
            show_other_info_keys(compat::name_of(comm), rank, compat::own_node(), std::string(own_keys),
                                 text_of(first));
        });
    }
    co_return rc;
}

Task report_facts(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm, std::uint64_t hash) {
    static std::atomic<bool> done{false};
    bool other = false;
    const int rc = co_await find_other(set_up, all, ompi_comm_rank(comm), hash, other);
    if (rc == OMPI_SUCCESS && other && !done.exchange(true)) {
        try_to([&] { show_other_plans(compat::own_node(), node_at(comm, 0), compat::name_of(comm)); });
    }
    co_return rc;
}

void report_failure(ompi_communicator_t* comm, const Outcome& outcome) {
    static std::atomic<bool> done{false};
    if (outcome.reporter && !done.exchange(true)) {
        try_to([&] {
            show_unable(node_at(comm, outcome.failed_rank), compat::name_of(comm),
                        explanation(outcome.failure));
        });
    }
}

}  // namespace

Task agree(SetUp& set_up, MinAllreduce& all, int rank, const Proposal& proposal, Outcome& outcome) {
    const auto own = static_cast<std::uint64_t>(rank);
    Words least;
    least.fill(neutral);
    if (proposal.failure == Failure::none) {
        least[keys] = proposal.keys;
        least[not_keys] = ~proposal.keys;
        least[facts] = proposal.facts;
        least[not_facts] = ~proposal.facts;
        least[sound] = own;
    } else {
        least[failure] = own << failure_bits | static_cast<std::uint64_t>(proposal.failure);
    }
    least[keeper] = proposal.hands_back ? neutral : own;
    std::ranges::copy(proposal.boards, least.begin() + boards);
    if (const int rc = co_await all.exchange(set_up, least); rc != OMPI_SUCCESS) {
        co_return rc;
    }
    outcome = {};
    outcome.hands_back = least[keeper] == neutral;
    std::copy(least.begin() + boards, least.end(), outcome.boards.begin());
    if (least[failure] != neutral) {
        outcome.against = ForwardReason::failure;
        outcome.failed_rank = static_cast<int>(least[failure] >> failure_bits);
        outcome.failure = static_cast<Failure>(least[failure] & ((1U << failure_bits) - 1));
        // If every rank failed, the lowest one tries to report.
        outcome.reporter = (least[sound] != neutral ? least[sound] : least[failure] >> failure_bits) == own;
    } else if (least[keys] != ~least[not_keys]) {
        outcome.against = ForwardReason::settings;
    } else if (least[facts] != ~least[not_facts]) {
        outcome.against = ForwardReason::plans;
    }
    co_return OMPI_SUCCESS;
}

Task report_outcome(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm, const OwnSettings* own,
                    const Proposal& proposal, const Outcome& outcome) {
    switch (outcome.against.value_or(ForwardReason::count)) {
        case ForwardReason::settings: return report_keys(set_up, all, comm, own, proposal.keys);
        case ForwardReason::plans: return report_facts(set_up, all, comm, proposal.facts);
        case ForwardReason::failure: report_failure(comm, outcome); return Task(OMPI_SUCCESS);
        default: return Task(OMPI_SUCCESS);
    }
}

Task compare_plan(SetUp& set_up, MinAllreduce& all, std::uint64_t hash, bool& equal) {
    std::array<std::uint64_t, 2> least{hash, ~hash};
    const int rc = co_await all.exchange(set_up, least);
    equal = rc == OMPI_SUCCESS && least[0] == ~least[1];
    co_return rc;
}

Task report_plan_change(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm, std::uint64_t hash,
                        std::string_view plan) {
    static std::atomic<bool> done{false};
    const int rank = ompi_comm_rank(comm);
    SharedText first;
    std::array<std::uint64_t, most_named> others;
    const int before = co_await receive_text(set_up, all, rank, plan, first);
    const int after = co_await find_others(set_up, all, rank, hash, others);
    const int rc = before == OMPI_SUCCESS ? after : before;
    if (rc == OMPI_SUCCESS && others.front() == static_cast<std::uint64_t>(rank) && !done.exchange(true)) {
        try_to([&] {
            std::string ranks;
            for (const std::uint64_t other : others) {
                if (other == neutral) break;
                ranks += (ranks.empty() ? "" : ", ") + std::to_string(other) + " (node " +
                         node_at(comm, static_cast<int>(other)) + ')';
            }
            ranks += others.back() != neutral ? ", perhaps more" : "";
            show_different_plans(compat::name_of(comm), ranks, rank, std::string(plan), node_at(comm, 0),
                                 text_of(first));
        });
    }
    co_return rc;
}

}  // namespace strata::component
