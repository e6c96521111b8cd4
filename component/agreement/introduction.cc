#include "component/agreement/introduction.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>

#include "component/agreement/disagreement.h"
#include "component/openmpi/last_resort.h"
#include "component/openmpi/messages.h"
#include "topology/text.h"

namespace strata::component {

using algorithms::Task;

namespace {

constexpr std::chrono::milliseconds shortest_pause{10};
constexpr std::chrono::milliseconds longest_pause{1280};
constexpr std::chrono::seconds longest_try{3};
constexpr std::uint32_t most_asked_to_report = 32;

constexpr int kind_shift = 24;
enum class Kind : std::uint64_t { status, memory, lists, other };

/// From high to low bits: process, kind of trouble, status as a positive number.
std::uint64_t trouble_of(std::uint32_t process, Kind kind, int status) {
    return static_cast<std::uint64_t>(process) << 32 | static_cast<std::uint64_t>(kind) << kind_shift |
           (static_cast<std::uint64_t>(-static_cast<std::int64_t>(status)) & ((1U << kind_shift) - 1));
}

std::string text_of(std::uint64_t trouble) {
    switch (static_cast<Kind>(trouble >> kind_shift & 0xFF)) {
        case Kind::memory: return "it had no memory left";
        case Kind::lists:
            return "PMIx repeatedly gave it lists of nodes and processes that contradict each other";
        case Kind::other: return "an error in the plugin itself";
        default: break;
    }
    return "PMIx repeatedly failed to look up other processes or their records (status -" +
           std::to_string(trouble & ((1U << kind_shift) - 1)) + ")";
}

/// Returns the lowest of comma-separated numbers.
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

/// `co_await patiently(...)`: repeats a request while PMIx answers neither yes nor no, with pauses that
/// double, for some seconds in all. Returns 0 if it never gets an answer.
class Introduction::Answer : public algorithms::Awaitable<Answer> {
public:
    Answer(Introduction& all, Ask ask, Question& question) : all_(all), ask_(ask), question_(question) {}

    int poll() noexcept {
        if (all_.unable_) return 0;
        if (Clock::now() < next_) return algorithms::under_way;
        const std::uint32_t process = all_.process_of(all_.own_rank());
        std::uint64_t trouble = none;
        try {
            int status = 0;
            if ((all_.*ask_)(question_, status) != compat::Lookup::failed) return 1;
            trouble = trouble_of(process, status == 0 ? Kind::lists : Kind::status, status);
        } catch (const std::bad_alloc&) {
            reserve().give_back();
            trouble = trouble_of(process, Kind::memory, 0);
        } catch (...) {
            trouble = trouble_of(process, Kind::other, 0);
        }
        next_ = Clock::now() + pause_;
        if (pause_ <= longest_pause && next_ - pause_ <= end_) {
            pause_ *= 2;
            return algorithms::under_way;
        }
        all_.note_trouble(trouble);
        return 0;
    }

private:
    using Clock = std::chrono::steady_clock;
    Introduction& all_;
    Ask ask_;
    Question& question_;
    std::chrono::milliseconds pause_ = shortest_pause;
    Clock::time_point next_ = Clock::now();
    Clock::time_point end_ = next_ + longest_try;
};

Introduction::Answer Introduction::patiently(Ask ask, Question& question) { return {*this, ask, question}; }

void Introduction::note_trouble(std::uint64_t trouble) {
    unable_ = true;
    Word found;
    found.reason = static_cast<std::uint64_t>(ForwardReason::failure);
    found.trouble = trouble;
    word_.merge(found);
}

void Introduction::note_odd(ForwardReason reason, int rank) {
    Word found;
    found.reason = static_cast<std::uint64_t>(reason);
    found.odd.front() = process_of(rank);
    word_.merge(found);
}

/// Reads a process's record and compares it with the own one.
compat::Lookup Introduction::read(Question& question, int& status) {
    std::vector<std::byte> bytes;
    const auto name = ompi_group_get_proc_name(comm_->c_local_group, question.rank);
    const compat::Lookup found = compat::lookup(name, key_, bytes, &status);
    topology::RecordPrefix own;
    topology::RecordPrefix other;
    topology::LocalityRecord whole;
    topology::decode_prefix(own_, own);
    if (found != compat::Lookup::found || !topology::decode_prefix(bytes, other)) {
        question.odd = ForwardReason::missing;
    } else if (other.plugin_version != own.plugin_version || other.format != own.format ||
               !topology::decode(bytes, whole)) {
        question.odd = ForwardReason::version;
    } else if (other.settings_hash != own.settings_hash) {
        question.odd = ForwardReason::settings;
    } else {
        question.odd.reset();
        question.record = std::move(bytes);
    }
    return found;
}

Introduction::Peer Introduction::judge(bool answered, const Question& question) {
    if (!answered) return Peer::unreadable;
    if (question.odd) note_odd(*question.odd, question.rank);
    return question.odd ? Peer::odd : Peer::alike;
}

/// Finds the processes of this node, and the number of nodes.
compat::Lookup Introduction::find_members(Question& /*none*/, int& status) {
    std::string names;
    auto answer = is_whole_job() ? compat::job_nodes(names, status) : compat::Lookup::missing;
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
}

compat::Lookup Introduction::find_own_place(Question& /*none*/, int& status) {
    place_ = count_ == 1 ? 0 : static_cast<std::size_t>(own_rank());
    if (nodes_.size() <= 1) return compat::Lookup::found;
    std::string node;
    const auto answer = node_of(own_rank(), node, status);
    const auto place = std::ranges::find(nodes_, node);
    place_ = static_cast<std::size_t>(place - nodes_.begin());
    return answer == compat::Lookup::found && place != nodes_.end() ? answer : compat::Lookup::failed;
}

/// Finds the first process of a node: the lowest that PMIx lists for it, if that process confirms the node;
/// otherwise the lowest process that names this node. The list is unreliable: PMIx 2.2 has no list by node
/// name, 2.1 returns the own node's list for every name, and 4.2.2 lacks one node's list if the launcher
/// counts more nodes than the job has, or orders them differently (mpirun on its own node, `--map-by seq`).
compat::Lookup Introduction::find_first(Question& question, int& status) {
    const std::string& name = nodes_[question.place];
    std::string text;
    auto answer = firsts_.empty() ? compat::node_processes(name, text, status) : compat::Lookup::missing;
    if (answer == compat::Lookup::found) {
        question.rank = lowest_of(text);
        if (question.rank >= ompi_comm_size(comm_)) return compat::Lookup::failed;
        answer = node_of(question.rank, text, status);
        if (answer == compat::Lookup::found && text == name) return answer;
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
    question.rank = firsts_[question.place];
    return question.rank >= 0 ? compat::Lookup::found : compat::Lookup::failed;
}

compat::Lookup Introduction::reserve_others(Question& /*none*/, int& /*status*/) {
    others_.reserve(2 * std::numeric_limits<std::size_t>::digits);
    return compat::Lookup::found;
}

/// Finds the partners of this node, without their records. Returns 0 if PMIx gives no answer.
Task Introduction::find_others() {
    Question question;
    int found = co_await patiently(&Introduction::reserve_others, question);
    for (std::size_t distance = 1; distance < count_ && found != 0; distance *= 2) {
        const std::array places{(place_ + distance) % count_, (place_ + count_ - distance) % count_};
        for (const std::size_t place : places) {
            if (std::ranges::count(others_, place, &Other::place) != 0) continue;
            question = {place, static_cast<int>(place), {}, {}};
            if (!nodes_.empty()) found = co_await patiently(&Introduction::find_first, question);
            if (found == 0) break;
            others_.push_back({place, question.rank, Peer::odd});
        }
    }
    co_return found;
}

const Introduction::Other& Introduction::other(std::size_t places_on) const {
    return *std::ranges::find(others_, (place_ + places_on) % count_, &Other::place);
}

/// Used if this process cannot find out which processes wait for it.
Task Introduction::send_to_all() {
    for (int rank = 0; rank < ompi_comm_size(comm_); ++rank) {
        if (rank != own_rank()) co_await send(rank, &word_, sizeof word_);
    }
    co_return OMPI_SUCCESS;
}

Task Introduction::meet_as_member() {
    const int leader = members_.front().rank;
    Question question;
    question.rank = leader;
    const int answered = co_await patiently(&Introduction::read, question);
    const Peer peer = judge(answered != 0, question);
    if (peer == Peer::odd) co_return OMPI_SUCCESS;
    co_await send(leader, &word_, sizeof word_);
    if (peer == Peer::alike) {
        Word received;
        co_await Message(*this, begin_receive(leader, &received, sizeof received));
        word_.merge(received);
    }
    co_return OMPI_SUCCESS;
}

Task Introduction::meet_as_leader() {
    for (Member& member : members_) {
        if (member.rank == own_rank()) continue;
        Question question;
        question.rank = member.rank;
        const int answered = co_await patiently(&Introduction::read, question);
        member.peer = judge(answered != 0, question);
        member.record = std::move(question.record);
    }
    for (Other& one : others_) {
        Question question;
        question.rank = one.rank;
        const int answered = co_await patiently(&Introduction::read, question);
        one.peer = judge(answered != 0, question);
    }
    for (const Member& member : members_) {
        if (member.rank == own_rank() || member.peer != Peer::alike) continue;
        Word received;
        co_await Message(*this, begin_receive(member.rank, &received, sizeof received));
        word_.merge(received);
    }
    co_await disseminate();
    for (const Member& member : members_) {
        if (member.rank == own_rank() || member.peer == Peer::odd) continue;
        co_await send(member.rank, &word_, sizeof word_);
    }
    co_return OMPI_SUCCESS;
}

Task Introduction::disseminate() {
    for (std::size_t distance = 1; distance < count_; distance *= 2) {
        const Other& to = other(distance);
        const Other& from = other(count_ - distance);
        Word received;
        ompi_request_t* request =
            from.peer == Peer::alike ? begin_receive(from.rank, &received, sizeof received) : nullptr;
        if (to.peer != Peer::odd) co_await send(to.rank, &word_, sizeof word_);
        if (request != nullptr) {
            co_await Message(*this, request);
            word_.merge(received);
        }
    }
    co_return OMPI_SUCCESS;
}

/// Logs the difference, on the lowest process that has the plugin.
void Introduction::report() const {
    auto name = compat::own_name();
    const std::uint32_t own = name.vpid;
    // A process that has not received from all may take itself for the lowest; process 0 is the lowest.
    if (word_.reporter != own || (unable_ && own_rank() != 0)) return;
    const auto reason = static_cast<ForwardReason>(word_.reason);
    if (reason == ForwardReason::failure && word_.trouble == none) return;
    static std::atomic<bool> done{false};  // once, not per communicator (sessions)
    if (done.exchange(true)) return;
    if (reason == ForwardReason::failure) {
        name.vpid = static_cast<std::uint32_t>(word_.trouble >> 32);
        return show_unable(compat::node_names(name, {name.vpid}), compat::name_of(comm_),
                           text_of(word_.trouble));
    }
    // A process of another version knows only its own group. Of a large job, only some are asked.
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

Task Introduction::try_steps() {
    word_.reporter = process_of(own_rank());
    Question unused;
    int found = co_await patiently(&Introduction::find_members, unused);
    if (found != 0 && leads()) {
        found = co_await patiently(&Introduction::find_own_place, unused);
        if (found != 0) found = co_await find_others();
    }
    if (found == 0) co_return co_await send_to_all();
    if (leads()) co_return co_await meet_as_leader();
    co_return co_await meet_as_member();
}

Task Introduction::run(PeerTable& table, std::mutex& mutex, std::optional<ForwardReason>& difference) {
    co_await try_steps();
    if (word_.reason == none) co_return co_await exchange_records(table, mutex);
    try_to([this] { report(); });
    difference = static_cast<ForwardReason>(word_.reason);
    co_return OMPI_SUCCESS;
}

}  // namespace strata::component
