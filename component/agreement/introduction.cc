#include "component/agreement/introduction.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "component/agreement/disagreement.h"
#include "component/openmpi/last_resort.h"
#include "component/openmpi/messages.h"
#include "topology/text.h"

namespace strata::component {
namespace {

constexpr std::chrono::milliseconds shortest_pause{10};
constexpr std::chrono::milliseconds longest_pause{1280};
constexpr std::chrono::seconds longest_try{3};
constexpr std::uint32_t most_asked_to_report = 32;

constexpr int kind_shift = 24;
enum class Kind : std::uint64_t { status, memory, lists, other };

/// From high to low: the process, what went wrong, and the status as a positive number.
std::uint64_t trouble_of(std::uint32_t process, Kind kind, int status) {
    return static_cast<std::uint64_t>(process) << 32 | static_cast<std::uint64_t>(kind) << kind_shift |
           (static_cast<std::uint64_t>(-static_cast<std::int64_t>(status)) & ((1U << kind_shift) - 1));
}

std::string text_of(std::uint64_t trouble) {
    switch (static_cast<Kind>(trouble >> kind_shift & 0xFF)) {
        case Kind::memory: return "it had no memory left";
        case Kind::lists:
            return "PMIx gave it lists of nodes and of their processes that do not fit together, again and "
                   "again";
        case Kind::other: return "an error in the plugin itself";
        default: break;
    }
    return "PMIx could not tell it where other processes are or what they have published (status -" +
           std::to_string(trouble & ((1U << kind_shift) - 1)) + ", again and again)";
}

/// Of numbers with commas between them.
int lowest_of(std::string_view numbers) {
    int lowest = std::numeric_limits<int>::max();
    for (const std::string_view number : topology::split(numbers, ',')) {
        lowest = std::min(lowest, std::stoi(std::string(number)));
    }
    return lowest;
}

}  // namespace

void Introduction::Word::merge(const Word& other) {
    if (other.reason < reason) {
        odd = other.odd;
    } else if (other.reason == reason) {
        std::array<std::uint64_t, 2 * most_odd> both;
        std::merge(odd.begin(), odd.end(), other.odd.begin(), other.odd.end(), both.begin());
        const auto end = std::unique(both.begin(), both.end());
        std::fill(end, both.end(), none);
        std::copy_n(both.begin(), most_odd, odd.begin());
    }
    reason = std::min(reason, other.reason);
    reporter = std::min(reporter, other.reporter);
    trouble = std::min(trouble, other.trouble);
}

std::uint32_t Introduction::process_of(int rank) const {
    return ompi_group_get_proc_name(comm_->c_local_group, rank).vpid;
}

compat::Lookup Introduction::node_of(int rank, std::string& node, int& status) const {
    return compat::node_name(ompi_group_get_proc_name(comm_->c_local_group, rank), node, status);
}

bool Introduction::is_whole_job() const {
    const auto ranks = static_cast<std::uint32_t>(ompi_comm_size(comm_));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (process_of(static_cast<int>(rank)) != rank) return false;
    }
    return ranks == compat::own_job_size();
}

/// Asks again, with pauses that double up to some seconds in all, while the answer is neither yes nor no.
/// False where it stays so.
template <class Ask>
bool Introduction::patiently(Ask&& ask) noexcept {
    if (unable_) return false;
    const auto end = std::chrono::steady_clock::now() + longest_try;
    const std::uint32_t process = process_of(own_rank());
    std::uint64_t trouble = none;
    for (auto pause = shortest_pause;; pause *= 2) {
        try {
            int status = 0;
            if (ask(status) != compat::Lookup::failed) return true;
            trouble = trouble_of(process, status == 0 ? Kind::lists : Kind::status, status);
        } catch (const std::bad_alloc&) {
            reserve().give_back();
            trouble = trouble_of(process, Kind::memory, 0);
        } catch (...) {
            trouble = trouble_of(process, Kind::other, 0);
        }
        if (pause > longest_pause || std::chrono::steady_clock::now() > end) break;
        opal_progress();
        std::this_thread::sleep_for(pause);
    }
    unable_ = true;
    Word found;
    found.reason = static_cast<std::uint64_t>(ForwardReason::failure);
    found.trouble = trouble;
    word_.merge(found);
    return false;
}

void Introduction::note_odd(ForwardReason reason, int rank) {
    Word found;
    found.reason = static_cast<std::uint64_t>(reason);
    found.odd.front() = process_of(rank);
    word_.merge(found);
}

/// Looks at a process's record; keeps it where the caller wants it.
Introduction::Peer Introduction::ask_for(int rank, std::vector<std::byte>* record) noexcept {
    std::optional<ForwardReason> odd;
    const bool answered = patiently([&](int& status) {
        std::vector<std::byte> bytes;
        const auto name = ompi_group_get_proc_name(comm_->c_local_group, rank);
        const compat::Lookup found = compat::lookup(name, key_, bytes, &status);
        topology::RecordPrefix own;
        topology::RecordPrefix other;
        topology::LocalityRecord whole;
        topology::decode_prefix(own_, own);
        if (found != compat::Lookup::found || !topology::decode_prefix(bytes, other)) {
            odd = ForwardReason::missing;
        } else if (other.plugin_version != own.plugin_version || other.format != own.format ||
                   !topology::decode(bytes, whole)) {
            odd = ForwardReason::version;
        } else if (other.settings_hash != own.settings_hash) {
            odd = ForwardReason::settings;
        } else {
            odd.reset();
            if (record != nullptr) *record = std::move(bytes);
        }
        return found;
    });
    if (!answered) return Peer::unreadable;
    if (odd) note_odd(*odd, rank);
    return odd ? Peer::odd : Peer::alike;
}

/// Of this node, and how many nodes there are.
bool Introduction::find_members() {
    const bool whole = is_whole_job();
    return patiently([&](int& status) {
        std::string names;
        auto answer = whole ? compat::job_nodes(names, status) : compat::Lookup::missing;
        members_.clear();
        nodes_.clear();
        if (answer == compat::Lookup::missing) {
            members_.push_back({own_rank(), Peer::alike, {}});
            count_ = static_cast<std::size_t>(ompi_comm_size(comm_));
            return answer;
        }
        if (answer == compat::Lookup::failed) return answer;
        for (const std::string_view name : topology::split(names, ',')) nodes_.emplace_back(name);
        std::sort(nodes_.begin(), nodes_.end());
        count_ = nodes_.size();
        std::string here;
        if (compat::node_processes("", here, status) != compat::Lookup::found) return compat::Lookup::failed;
        for (const std::string_view process : topology::split(here, ',')) {
            members_.push_back({std::stoi(std::string(process)), Peer::alike, {}});
        }
        std::ranges::sort(members_, {}, &Member::rank);
        const bool among = std::ranges::count(members_, own_rank(), &Member::rank) == 1;
        return among ? compat::Lookup::found : compat::Lookup::failed;
    });
}

bool Introduction::find_own_place() {
    place_ = static_cast<std::size_t>(own_rank());
    if (count_ == 1) place_ = 0;
    return nodes_.size() <= 1 || patiently([&](int& status) {
               std::string node;
               const auto answer = node_of(own_rank(), node, status);
               const auto place = std::ranges::find(nodes_, node);
               place_ = static_cast<std::size_t>(place - nodes_.begin());
               return answer == compat::Lookup::found && place != nodes_.end() ? answer
                                                                               : compat::Lookup::failed;
           });
}

/// The first process of a node: of those that PMIx names for it, where that process is indeed there; else of
/// all that say so. PMIx 2.2 knows no node's processes by its name, 2.1 gives those of the own node for all,
/// and 4.2.2 knows all nodes but one where the launcher counts more nodes, or in another order, than the job
/// has: mpirun on a node of its own, or `--map-by seq`.
compat::Lookup Introduction::first_of(std::size_t place, int& first, int& status) {
    std::string text;
    auto answer =
        firsts_.empty() ? compat::node_processes(nodes_[place], text, status) : compat::Lookup::missing;
    if (answer == compat::Lookup::found) {
        first = lowest_of(text);
        if (first >= ompi_comm_size(comm_)) return compat::Lookup::failed;
        answer = node_of(first, text, status);
        if (answer == compat::Lookup::found && text == nodes_[place]) return answer;
    }
    if (answer == compat::Lookup::failed) return answer;
    if (firsts_.empty()) {
        std::vector<int> firsts(count_, -1);
        for (int rank = ompi_comm_size(comm_) - 1; rank >= 0; --rank) {
            if (node_of(rank, text, status) != compat::Lookup::found) return compat::Lookup::failed;
            const auto node = std::ranges::lower_bound(nodes_, text);
            if (node != nodes_.end() && *node == text) {
                firsts[static_cast<std::size_t>(node - nodes_.begin())] = rank;
            }
        }
        firsts_ = std::move(firsts);
    }
    first = firsts_[place];
    return first >= 0 ? compat::Lookup::found : compat::Lookup::failed;
}

/// Which processes these are; not yet what they are like.
bool Introduction::find_others() {
    if (!patiently([&](int&) {
            others_.reserve(2 * std::numeric_limits<std::size_t>::digits);
            return compat::Lookup::found;
        })) {
        return false;
    }
    for (std::size_t distance = 1; distance < count_; distance *= 2) {
        for (const std::size_t place :
             {(place_ + distance) % count_, (place_ + count_ - distance) % count_}) {
            if (std::ranges::count(others_, place, &Other::place) != 0) continue;
            int first = static_cast<int>(place);
            const bool found =
                nodes_.empty() || patiently([&](int& status) { return first_of(place, first, status); });
            if (!found) return false;
            others_.push_back({place, first, Peer::odd});
        }
    }
    return true;
}

const Introduction::Other& Introduction::other(std::size_t places_on) const {
    return *std::ranges::find(others_, (place_ + places_on) % count_, &Other::place);
}

/// Where this process cannot find out who waits for it.
void Introduction::send_to_everybody() {
    for (int rank = 0; rank < ompi_comm_size(comm_); ++rank) {
        if (rank != own_rank()) send(rank, &word_, sizeof word_);
    }
}

void Introduction::meet_as_member() {
    const int leader = members_.front().rank;
    const Peer peer = ask_for(leader);
    if (peer == Peer::odd) return;
    send(leader, &word_, sizeof word_);
    if (peer == Peer::alike) {
        Word received;
        wait_for(begin_receive(leader, &received, sizeof received));
        word_.merge(received);
    }
}

void Introduction::meet_as_leader() {
    for (Member& member : members_) {
        if (member.rank != own_rank()) member.peer = ask_for(member.rank, &member.record);
    }
    for (Other& one : others_) one.peer = ask_for(one.rank);
    for (const Member& member : members_) {
        if (member.rank == own_rank() || member.peer != Peer::alike) continue;
        Word received;
        wait_for(begin_receive(member.rank, &received, sizeof received));
        word_.merge(received);
    }
    disseminate();
    for (const Member& member : members_) {
        if (member.rank != own_rank() && member.peer != Peer::odd) {
            send(member.rank, &word_, sizeof word_);
        }
    }
}

void Introduction::disseminate() {
    for (std::size_t distance = 1; distance < count_; distance *= 2) {
        const Other& to = other(distance);
        const Other& from = other(count_ - distance);
        Word received;
        ompi_request_t* request =
            from.peer == Peer::alike ? begin_receive(from.rank, &received, sizeof received) : nullptr;
        if (to.peer != Peer::odd) send(to.rank, &word_, sizeof word_);
        if (request != nullptr) {
            wait_for(request);
            word_.merge(received);
        }
    }
}

/// The lowest process that has the plugin says what is wrong.
void Introduction::report() const {
    auto name = compat::own_name();
    const std::uint32_t own = name.vpid;
    // Who has not received all may take itself for the lowest; the first process need not have.
    if (word_.reporter != own || (unable_ && own_rank() != 0)) return;
    const auto reason = static_cast<ForwardReason>(word_.reason);
    if (reason == ForwardReason::failure && word_.trouble == none) return;
    static std::atomic<bool> done{false};  // of many communicators, where only sessions are used
    if (done.exchange(true)) return;
    if (reason == ForwardReason::failure) {
        name.vpid = static_cast<std::uint32_t>(word_.trouble >> 32);
        return show_unable(compat::node_names(name, {name.vpid}), comm_->c_name, text_of(word_.trouble));
    }
    // One of another version knows no more than this one. Some are asked for, not all of a large job.
    for (name.vpid = 0; name.vpid < std::min(own, most_asked_to_report); ++name.vpid) {
        std::vector<std::byte> bytes;
        const auto answer = compat::lookup(name, key_, bytes);
        if (answer == compat::Lookup::found) return;
        if (answer == compat::Lookup::failed) break;
    }
    std::vector<std::uint32_t> odd;
    for (const std::uint64_t process : word_.odd) {
        if (process != none) odd.push_back(static_cast<std::uint32_t>(process));
    }
    const std::string node = compat::node_names(name, odd);
    const std::string reference = compat::own_node();
    switch (reason) {
        case ForwardReason::missing: return show_missing(node, is_switched_off(odd));
        case ForwardReason::version: return show_other_version(node, reference, name_differences(odd));
        default: return show_other_settings(node, reference, name_differences(odd));
    }
}

void Introduction::try_steps() {
    word_.reporter = process_of(own_rank());
    const bool found = find_members() && (!leads() || (find_own_place() && find_others()));
    if (!found) return send_to_everybody();
    if (leads()) {
        meet_as_leader();
    } else {
        meet_as_member();
    }
}

std::optional<ForwardReason> Introduction::run(PeerTable& table, std::mutex& mutex) noexcept {
    try {
        try_steps();
        if (word_.reason != none) {
            try_to([this] { report(); });
            return static_cast<ForwardReason>(word_.reason);
        }
        exchange_records(table, mutex);
    } catch (const std::bad_alloc&) {
        end_job(comm_, "it has no memory left for what the other processes have published");
    } catch (...) {
        end_job(comm_, "it has not got what all other processes have published");
    }
    return std::nullopt;
}

}  // namespace strata::component
