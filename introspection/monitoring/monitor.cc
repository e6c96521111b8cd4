#include "monitor.h"

#include <algorithm>
#include <new>

#include "advice.h"

namespace strata::introspection {

namespace {

bool is_open_intracommunicator(MPI_Comm comm) {
    int joins_two = 1;
    return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &joins_two) == MPI_SUCCESS && joins_two == 0;
}

void add(std::vector<unsigned long>& row, const unsigned long* counts, const unsigned long* bytes) {
    const std::size_t n = row.size() / 2;
    for (std::size_t i = 0; i < n; ++i) {
        row[i] += counts[i];
        row[n + i] += bytes[i];
    }
}

}  // namespace

int Monitor::start(MPI_Comm comm, MPI_M_msid* id) {
    {
        const std::lock_guard guard(lock_);
        if (state_ != State::open) {
            return MPI_M_MISSING_INIT;
        }
    }
    if (!is_open_intracommunicator(comm)) {
        return MPI_M_MPIT_FAIL;
    }
    const auto communicator =
        PrivateCommunicator::of(comm, recorder_, one_thread_at_a_time_ ? world_ : nullptr);
    if (communicator == nullptr) {
        return MPI_M_MPIT_FAIL;
    }
    const int tag = communicator->next_tag();
    PrivateCommunicator::Values values{};
    MPI_M_msid reserved = 0;
    std::shared_ptr<Session> session;
    Reading now;  // allocated and read before the agreement: after it no process may fail alone
    try {
        session = std::make_shared<Session>(communicator, tag);
        now.sent = TrafficRows(recorder_.processes());
        const std::lock_guard guard(lock_);
        reserved = sessions_.reserve();
        values[0] = id == nullptr          ? MPI_M_INVALID_MSID
                    : reserved == 0        ? MPI_M_SESSION_OVERFLOW
                    : !recorder_.read(now) ? MPI_M_MPIT_FAIL
                                           : MPI_SUCCESS;
    } catch (const std::bad_alloc&) {
        values[0] = MPI_M_INTERNAL_FAIL;
    }
    const int code = communicator->agree(0, values) ? static_cast<int>(values[0]) : MPI_M_MPIT_FAIL;
    const std::lock_guard guard(lock_);
    if (code != MPI_SUCCESS) {
        if (reserved != 0) {
            sessions_.remove(reserved);
        }
        return code;
    }
    session->activate(now);
    sessions_.fill(reserved, std::move(session));
    *id = reserved;
    return MPI_SUCCESS;
}

/// Acts on one session, or on all in the right state; `refusal` is the code for a session in the wrong
/// state.
template <class Applies, class Act>
int Monitor::on_sessions(MPI_M_msid id, int refusal, Applies applies, Act act) {
    std::vector<std::shared_ptr<Session>> dropped;
    const std::lock_guard guard(lock_);
    if (state_ != State::open) {
        return MPI_M_MISSING_INIT;
    }
    if (id != MPI_M_ALL_MSID) {
        const auto session = sessions_.find(id);
        if (session == nullptr) {
            return MPI_M_INVALID_MSID;
        }
        if (!applies(*session)) {
            return refusal;
        }
    }
    std::vector<MPI_M_msid> ids;
    for (const auto& place : sessions_.places()) {
        const bool meant = id == MPI_M_ALL_MSID || place.id == id;
        if (meant && place.session != nullptr && applies(*place.session)) {
            ids.push_back(place.id);
        }
    }
    return act(ids, dropped);
}

int Monitor::change(MPI_M_msid id, bool activate) {
    const auto applies = [&](const Session& session) { return session.active() != activate; };
    return on_sessions(id, MPI_M_MULTIPLE_CALL, applies, [&](const std::vector<MPI_M_msid>& ids, auto&) {
        Reading now{TrafficRows(recorder_.processes())};
        const bool read = recorder_.read(now);
        bool complete = read;
        for (const MPI_M_msid each : ids) {
            const auto session = sessions_.find(each);
            if (activate) {
                if (read) {
                    session->activate(now);
                }
                continue;
            }
            // Suspend in any case: otherwise the session could not be freed.
            read ? session->suspend(now) : session->suspend_without_counts();
            complete = complete && session->complete();
        }
        if (read && !complete) {
            advise_reset();
        }
        return complete ? MPI_SUCCESS : static_cast<int>(MPI_M_MPIT_FAIL);
    });
}

int Monitor::suspend(MPI_M_msid id) { return change(id, false); }
int Monitor::resume(MPI_M_msid id) { return change(id, true); }

int Monitor::reset(MPI_M_msid id) {
    const auto applies = [](const Session& session) { return !session.active(); };
    return on_sessions(id, MPI_M_SESSION_NOT_SUSPENDED, applies,
                       [&](const std::vector<MPI_M_msid>& ids, auto&) {
                           for (const MPI_M_msid each : ids) {
                               sessions_.find(each)->reset();
                           }
                           return MPI_SUCCESS;
                       });
}

int Monitor::release(MPI_M_msid id) {
    const auto applies = [](const Session& session) { return !session.active(); };
    return on_sessions(id, MPI_M_SESSION_NOT_SUSPENDED, applies,
                       [&](const std::vector<MPI_M_msid>& ids, auto& dropped) {
                           for (const MPI_M_msid each : ids) {
                               dropped.push_back(sessions_.remove(each));
                           }
                           return MPI_SUCCESS;
                       });
}

int Monitor::info(MPI_M_msid id, int* provided, int* processes) {
    const std::lock_guard guard(lock_);
    if (state_ != State::open) {
        return MPI_M_MISSING_INIT;
    }
    const auto session = sessions_.find(id);
    if (session == nullptr) {
        return MPI_M_INVALID_MSID;
    }
    if (provided != MPI_M_INT_IGNORE) {
        MPI_Query_thread(provided);
        *provided = std::min(*provided, recorder_.thread_level());
    }
    if (processes != MPI_M_INT_IGNORE) {
        *processes = static_cast<int>(session->members());
    }
    return MPI_SUCCESS;
}

/// In mode 1 the messages of collective calls are among the messages.
bool Monitor::adds_estimates(int flags) const {
    return (flags & MPI_M_COLL_ONLY) != 0 && ((flags & MPI_M_P2P_ONLY) == 0 || recorder_.mode() != 1);
}

bool Monitor::can_count(int flags, bool advise) const {
    const auto has = [&](Traffic kind) { return has_[static_cast<std::size_t>(kind)]; };
    if (adds_estimates(flags) && has(Traffic::collectives) && !counts_calls_) {
        if (advise) {
            advise_collectives();
        }
        return false;
    }
    const bool good = ((flags & MPI_M_P2P_ONLY) == 0 || has(Traffic::messages)) &&
                      (!adds_estimates(flags) || has(Traffic::collectives)) &&
                      ((flags & MPI_M_OSC_ONLY) == 0 || (has(Traffic::put) && has(Traffic::got)));
    if (!good && advise) {
        advise_what_is_counted();
    }
    return good;
}

int Monitor::check(const Request& request, const Session& session) const {
    if (session.active()) {
        return MPI_M_SESSION_NOT_SUSPENDED;
    }
    if (request.root < 0 || static_cast<std::size_t>(request.root) >= session.members()) {
        return MPI_M_INVALID_ROOT;
    }
    const bool counts =
        request.rows != Request::Rows::at_root || session.communicator().rank() == request.root;
    if (request.flags <= 0 || (request.flags & ~MPI_M_ALL_COMM) != 0 || (counts && !request.valid)) {
        return MPI_M_INTERNAL_FAIL;
    }
    const bool counted = session.complete() && can_count(request.flags, session.communicator().rank() == 0);
    return counted ? MPI_SUCCESS : MPI_M_MPIT_FAIL;
}

void Monitor::fill_row(View& view, const TrafficRows& recorded, int flags) const {
    const auto add_kind = [&](Traffic kind) { add(view.row, recorded.counts(kind), recorded.bytes(kind)); };
    std::fill(view.row.begin(), view.row.end(), 0UL);
    if ((flags & MPI_M_P2P_ONLY) != 0) {
        add_kind(Traffic::messages);
    }
    if (adds_estimates(flags)) {
        add_kind(Traffic::collectives);
    }
    if ((flags & MPI_M_OSC_ONLY) != 0) {
        add_kind(Traffic::put);
    }
}

/// Only the origin of a Get counts it: each member sends the others what it fetched from them, which is
/// what they sent.
bool Monitor::add_gets(View& view, const TrafficRows& recorded, int flags) {
    const std::size_t n = view.members();
    unsigned long* to = view.gets.data();
    unsigned long* from = to + 2 * n;
    for (std::size_t i = 0; i < n; ++i) {
        to[2 * i] = recorded.counts(Traffic::got)[i];
        to[2 * i + 1] = recorded.bytes(Traffic::got)[i];
    }
    if (!view.session->communicator().exchange(view.session->tag(), to, from, 2)) {
        return false;
    }
    for (std::size_t i = 0; (flags & MPI_M_OSC_ONLY) != 0 && i < n; ++i) {
        view.row[i] += from[2 * i];
        view.row[n + i] += from[2 * i + 1];
    }
    return true;
}

bool Monitor::gather(View& view, const Request& request) {
    if (request.rows == Request::Rows::own) {
        return true;
    }
    PrivateCommunicator& communicator = view.session->communicator();
    const int tag = view.session->tag();
    const bool gathered =
        communicator.gather(tag, request.root, view.row.data(), view.row.size(), view.matrix.data());
    return gathered && (request.rows == Request::Rows::at_root ||
                        communicator.broadcast(tag, view.matrix.data(), view.matrix.size()));
}

int Monitor::view(const Request& request, View& view) {
    TrafficRows recorded;
    int code = MPI_SUCCESS;
    {
        const std::lock_guard guard(lock_);
        if (state_ != State::open) {
            return MPI_M_MISSING_INIT;
        }
        view.session = sessions_.find(request.id);
        if (view.session == nullptr) {
            return MPI_M_INVALID_MSID;
        }
        code = check(request, *view.session);
        try {  // allocate before the agreement, so that no process fails alone after it
            const std::size_t n = view.members();
            const bool has_matrix = request.rows == Request::Rows::everywhere ||
                                    (request.rows == Request::Rows::at_root &&
                                     view.session->communicator().rank() == request.root);
            view.row.resize(2 * n);
            view.gets.resize(4 * n);
            view.matrix.resize(has_matrix ? 2 * n * n : 0);
            recorded = view.session->recorded();
        } catch (const std::bad_alloc&) {
            code = MPI_M_INTERNAL_FAIL;
        }
    }
    const unsigned long* got = code == MPI_SUCCESS ? recorded.counts(Traffic::got) : nullptr;
    const bool has_gets =
        got != nullptr && std::any_of(got, got + view.members(), [](unsigned long n) { return n != 0; });
    const long flags = request.flags;
    const long root = request.root;
    PrivateCommunicator::Values values = {code, has_gets ? 1 : 0, flags, -flags, root, -root};
    if (!view.session->communicator().agree(view.session->tag(), values)) {
        return MPI_M_MPIT_FAIL;
    }
    if (values[0] != MPI_SUCCESS) {
        return static_cast<int>(values[0]);
    }
    if (values[4] != -values[5]) {
        return MPI_M_INVALID_ROOT;
    }
    if (request.same_flags && values[2] != -values[3]) {
        return MPI_M_INTERNAL_FAIL;
    }
    fill_row(view, recorded, request.flags);
    const bool good = (values[1] == 0 || add_gets(view, recorded, request.flags)) && gather(view, request);
    return good ? MPI_SUCCESS : MPI_M_MPIT_FAIL;
}

int Monitor::agree(const View& view, int local) {
    PrivateCommunicator::Values values = {local};
    return view.session->communicator().agree(view.session->tag(), values) ? static_cast<int>(values[0])
                                                                           : MPI_M_MPIT_FAIL;
}

}  // namespace strata::introspection
