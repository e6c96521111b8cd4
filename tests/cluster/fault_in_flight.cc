#include "component/agreement/min_allreduce.h"  // Open MPI's own headers come before mpi.h

#include "fault_in_flight.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace strata::testing {

namespace {

using component::MinAllreduce;

struct FileName {
    char text[512] = "";
    void set(const std::string& path) { std::snprintf(text, sizeof text, "%s", path.c_str()); }
};

// For signal handlers and the functions that replace Open MPI's.
volatile sig_atomic_t is_inside = 0;  // a call is in progress
volatile sig_atomic_t has_struck = 0;
char fault_kind = 'n';  // first letter of the option's word
bool only_claims = false;
FileName struck_file;
FileName outlived_file;
std::string hit_file;  // file of the victim's notes
int continuer = -1;    // pipe to the process that wakes this one
unsigned char stop_seconds = 2;
timer_t inside_timer = {};
int messages_left = -1;  // messages until the strike; negative: no strike at a message
mca_pml_base_module_t original = {};

constexpr int ticks_to_outlive = 10;
constexpr long tick_ns = 100'000'000;

/// May be called by signal handlers.
void make_file(const char* path) { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)); }

/// Uses only async-signal-safe functions, except MPI_Abort, which no signal handler calls.
void strike(bool in_handler) {
    has_struck = 1;
    make_file(struck_file.text);
    if (only_claims) {
        return;
    }
    switch (fault_kind) {
        case 'k': kill(getpid(), SIGKILL); break;
        case 'e':
            if (in_handler) {
                _exit(0);
            }
            std::exit(0);
        case 'a': MPI_Abort(MPI_COMM_WORLD, 5); break;
        default:
            if (write(continuer, &stop_seconds, 1) == 1) {
                kill(getpid(), SIGSTOP);
            }
    }
}

void on_timer(int) {
    if (is_inside != 0 && has_struck == 0) {
        strike(true);
    }
}

/// Runs on the ranks that are not struck: after this time they still run.
void on_tick(int) {
    static volatile sig_atomic_t ticks = 0;
    if (access(struck_file.text, F_OK) == 0) {
        ticks = ticks + 1;
        if (ticks == ticks_to_outlive) {
            make_file(outlived_file.text);
        }
    }
}

/// Runs before every message of the victim's call, sent or awaited. Only messages of an agreement are bytes
/// of this size; no collective under test sends such.
void before_message(std::size_t count, const ompi_datatype_t* datatype) {
    if (is_inside == 0 || has_struck != 0 || messages_left < 0 || messages_left-- > 0) {
        return;
    }
    const bool in_agreement =
        datatype == &ompi_mpi_byte.dt && count == MinAllreduce::message_bytes(MinAllreduce::most_words);
    make_note(hit_file + (in_agreement ? ".agreement" : ".message"));
    strike(false);
}

/// The victim's messages pass through here first.
void watch_messages() {
    original = mca_pml;
    mca_pml.pml_send = [](const void* data, std::size_t count, ompi_datatype_t* datatype, int to, int tag,
                          mca_pml_base_send_mode_t mode, ompi_communicator_t* comm) {
        before_message(count, datatype);
        return original.pml_send(data, count, datatype, to, tag, mode, comm);
    };
    mca_pml.pml_isend = [](const void* data, std::size_t count, ompi_datatype_t* datatype, int to, int tag,
                           mca_pml_base_send_mode_t mode, ompi_communicator_t* comm,
                           ompi_request_t** request) {
        before_message(count, datatype);
        return original.pml_isend(data, count, datatype, to, tag, mode, comm, request);
    };
    mca_pml.pml_recv = [](void* data, std::size_t count, ompi_datatype_t* datatype, int from, int tag,
                          ompi_communicator_t* comm, ompi_status_public_t* status) {
        before_message(count, datatype);
        return original.pml_recv(data, count, datatype, from, tag, comm, status);
    };
    mca_pml.pml_irecv = [](void* data, std::size_t count, ompi_datatype_t* datatype, int from, int tag,
                           ompi_communicator_t* comm, ompi_request_t** request) {
        before_message(count, datatype);
        return original.pml_irecv(data, count, datatype, from, tag, comm, request);
    };
}

timer_t timer_with(int signal_number, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal_number, &action, nullptr);
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal_number;
    timer_t timer = {};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    return timer;
}

double now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void make_note(const std::string& path) { make_file(path.c_str()); }

void start_continuer() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        std::exit(exit_usage);
    }
    const pid_t stopped = getpid();
    if (fork() == 0) {
        close(ends[1]);
        for (unsigned char seconds = 0; read(ends[0], &seconds, 1) == 1;) {
            sleep(seconds);
            kill(stopped, SIGCONT);
        }
        _exit(0);
    }
    close(ends[0]);
    continuer = ends[1];
}

FaultInFlight::FaultInFlight(Session& session)
    : kind_(session.option("--fault", "none")),
      when_(session.option("--when", "inside")),
      at_(static_cast<int>(session.number("--at", 6))),
      victim_(static_cast<int>(session.number("--victim", 0))),
      here_(session.rank() == victim_ && kind_ != "none" && kind_ != "outside"),
      outlived_(session.flag("--outlived")) {
    stop_seconds = static_cast<unsigned char>(session.number("--seconds", 2));
    fault_kind = kind_[0];
    only_claims = session.sabotage_is("claims");
    inside_timer = timer_with(SIGUSR1, on_timer);
    if (here_ && when_ == "message") {
        watch_messages();
    }
}

bool FaultInFlight::cannot_succeed(int iteration) const {
    const bool ends = kind_ == "kill" || kind_ == "exit" || kind_ == "abort";
    return ends && (when_ == "before" || when_ == "after") &&
           iteration >= (when_ == "before" ? at_ : at_ + 1);
}

void FaultInFlight::start(const std::string& folder, const std::string& name) {
    struck_file.set(folder + "/struck." + name);
    hit_file = folder + "/hit." + name;
    folder_ = folder;
    name_ = name;
    has_struck = 0;
    calls_ = 0;
    in_calls_ = 0;
    tries_ = 0;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (outlived_ && rank != victim_) {
        watch_victim(rank);
    }
}

void FaultInFlight::pass(const char* when, int iteration) {
    if (here_ && when_ == when && iteration == at_) {
        strike(false);
    }
}

void FaultInFlight::enter(int iteration) {
    began_ = now();
    // Strikes at the second message: with the plugin every rank has two in an agreement, whether it
    // receives or sends first.
    messages_left = here_ && when_ == "message" && iteration == at_ ? 1 : -1;
    is_inside = 1;
    if (here_ && when_ == "inside" && iteration >= at_ && has_struck == 0) {
        // Half of a call's duration; less after calls that came before.
        const double half = calls_ > 0 ? in_calls_ / calls_ / 2 : 3e-4;
        set_timer(std::max(half / static_cast<double>(1 << std::min(tries_++, 10)), 2e-6));
    }
}

void FaultInFlight::leave(int iteration) {
    is_inside = 0;
    if (!here_) {
        return;
    }
    set_timer(0);
    const double took = now() - began_;
    in_calls_ += took;
    ++calls_;
    if (kind_ == "stop" && has_struck != 0 && took >= stop_seconds) {
        make_note(folder_ + "/stopped." + name_);
    }
    if (when_ == "message" && iteration == at_ && has_struck == 0) {
        make_note(hit_file + ".returned");
        strike(false);
    }
}

void FaultInFlight::outlive() const {
    while (outlived_ && access(outlived_file.text, F_OK) != 0) {
        const timespec while_waiting = {0, tick_ns};
        nanosleep(&while_waiting, nullptr);
    }
}

void FaultInFlight::set_timer(double seconds) {
    itimerspec when = {};
    when.it_value.tv_sec = static_cast<time_t>(seconds);
    when.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9);
    timer_settime(inside_timer, 0, &when, nullptr);
}

void FaultInFlight::watch_victim(int rank) {
    outlived_file.set(folder_ + "/outlived." + std::to_string(rank));
    const itimerspec when = {{0, tick_ns}, {0, tick_ns}};
    static const timer_t timer = timer_with(SIGALRM, on_tick);
    timer_settime(timer, 0, &when, nullptr);
}

}  // namespace strata::testing
