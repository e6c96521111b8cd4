// A fault in the middle of collectives: one rank dies, leaves or stops, or the script that runs this spoils a
// link. Whatever call then succeeds, on whatever rank, must have brought the right data.
//
//   interrupted --folder FOLDER [--collective NAME,...|all] [--bytes N] [--root RANK] [--iterations N]
//     [--errors fatal|return] [--fault none|kill|exit|abort|stop|outside] [--when before|inside|after]
//     [--at ITERATION] [--victim RANK] [--seconds N]
//
// What happens is noted by empty files in FOLDER, as mpirun may lose the last words of a rank:
// struck.COLLECTIVE, wrong.RANK, error.RANK.CLASS. With `outside` rank 0 makes ready.COLLECTIVE and all go on
// until somebody removes it.
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "collective_cases.h"
#include "exchange.h"

using namespace strata::testing;

namespace {

// For the handler of the timer: what it does, if the call is still running.
volatile sig_atomic_t is_inside = 0;
volatile sig_atomic_t has_struck = 0;
char fault_kind = 'n';  // first letter of the option's word
char struck_file[512];
int continuer = -1;  // pipe to the process that wakes this one
unsigned char stop_seconds = 2;

void make_file(const char* path) { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)); }

/// Only what a signal handler may do, save MPI_Abort, which is never called from one.
void strike(bool in_handler) {
    has_struck = 1;
    make_file(struck_file);
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

/// A child, made before MPI_Init, that lets this process go on after it has stopped. It ends with it.
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

double now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// When the victim is struck, and the timer for it.
class Fault {
public:
    explicit Fault(Session& session)
        : kind_(session.option("--fault", "none")),
          when_(session.option("--when", "inside")),
          at_(static_cast<int>(session.number("--at", 6))),
          victim_(static_cast<int>(session.number("--victim", 0))),
          here_(session.rank() == victim_ && kind_ != "none" && kind_ != "outside") {
        stop_seconds = static_cast<unsigned char>(session.number("--seconds", 2));
        fault_kind = kind_[0];
        struct sigaction action = {};
        action.sa_handler = on_timer;
        action.sa_flags = SA_RESTART;
        sigaction(SIGUSR1, &action, nullptr);
        sigevent event = {};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR1;
        timer_create(CLOCK_MONOTONIC, &event, &timer_);
    }

    bool outside() const { return kind_ == "outside"; }
    bool stops() const { return kind_ == "stop"; }
    int at() const { return at_; }
    bool is_over() const { return has_struck != 0; }
    /// Whether no rank can have left a barrier of this iteration, as the victim was not there any more.
    bool cannot_succeed(int iteration) const {
        const bool ends = kind_ == "kill" || kind_ == "exit" || kind_ == "abort";
        return ends && when_ != "inside" && iteration >= (when_ == "before" ? at_ : at_ + 1);
    }

    void start(const std::string& file) {
        std::snprintf(struck_file, sizeof struck_file, "%s", file.c_str());
        has_struck = 0;
        calls_ = 0;
        in_calls_ = 0;
        tries_ = 0;
    }

    /// Between calls: strikes if this is the moment.
    void pass(const char* when, int iteration) {
        if (here_ && when_ == when && iteration == at_) {
            strike(false);
        }
    }

    void enter(int iteration) {
        began_ = now();
        is_inside = 1;
        if (here_ && when_ == "inside" && iteration >= at_ && has_struck == 0) {
            // Half of what a call takes; less after calls that were done before.
            const double half = calls_ > 0 ? in_calls_ / calls_ / 2 : 3e-4;
            set_timer(std::max(half / static_cast<double>(1 << std::min(tries_++, 10)), 2e-6));
        }
    }

    void leave() {
        is_inside = 0;
        if (here_) {
            set_timer(0);
            in_calls_ += now() - began_;
            ++calls_;
        }
    }

private:
    void set_timer(double seconds) {
        itimerspec when = {};
        when.it_value.tv_sec = static_cast<time_t>(seconds);
        when.it_value.tv_nsec =
            static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9);
        timer_settime(timer_, 0, &when, nullptr);
    }

    std::string kind_;
    std::string when_;
    int at_;
    int victim_;
    bool here_;
    timer_t timer_ = {};
    double began_ = 0;
    double in_calls_ = 0;
    int calls_ = 0;
    int tries_ = 0;
};

class Run {
public:
    explicit Run(Session& session)
        : session_(session),
          fault_(session),
          folder_(session.option("--folder", ".")),
          collectives_(parse_collectives(session.option("--collective", "bcast"))),
          bytes_(static_cast<std::size_t>(session.number("--bytes", 1 << 20))),
          root_(static_cast<int>(session.number("--root", 0))),
          iterations_(static_cast<int>(session.number("--iterations", 40))) {
        if (session.option("--errors", "fatal") == "return") {
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        }
        session.reject_other_arguments();
    }

    void all() {
        for (const Collective collective : collectives_) {
            loop(collective);
        }
    }

private:
    void loop(Collective collective) {
        Exchange exchange(session_, collective, bytes_, root_);
        const std::string name = name_of(collective);
        fault_.start(file("struck." + name));
        for (int iteration = 0; goes_on(iteration, file("ready." + name)); ++iteration) {
            session_.at("%s, iteration %d", name.c_str(), iteration);
            exchange.prepare(iteration);
            fault_.pass("before", iteration);
            fault_.enter(iteration);
            const int code = exchange.call();
            fault_.leave();
            if (code != MPI_SUCCESS) {
                give_up(code);
            }
            fault_.pass("after", iteration);
            if (session_.sabotage_is("late") && iteration > fault_.at() && session_.sabotages("late")) {
                exchange.spoil();
            }
            check(exchange, collective, iteration);
        }
    }

    bool goes_on(int iteration, const std::string& ready) {
        if (!fault_.outside()) {
            return iteration < iterations_;
        }
        if (iteration == fault_.at() && session_.rank() == 0) {
            make_file(ready.c_str());
        }
        return iteration <= fault_.at() || session_.agree(access(ready.c_str(), F_OK) == 0) != 0;
    }

    void check(const Exchange& exchange, Collective collective, int iteration) {
        const int place = exchange.first_difference();
        const bool impossible = collective == Collective::barrier && fault_.cannot_succeed(iteration);
        if (place >= 0 || impossible) {
            make_file(file("wrong." + std::to_string(session_.rank())).c_str());
            session_.fail("WRONG: %s%d", impossible ? "succeeded without the victim " : "data at word ",
                          place);
        }
    }

    [[noreturn]] void give_up(int code) {
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        const std::string what = std::to_string(session_.rank()) + "." + std::to_string(error_class);
        make_file(file("error." + what).c_str());
        std::fprintf(stderr, "interrupted: rank %d: ERROR class %d\n", session_.rank(), error_class);
        MPI_Abort(MPI_COMM_WORLD, 9);
        std::abort();
    }

    std::string file(const std::string& name) const { return folder_ + "/" + name; }

    Session& session_;
    Fault fault_;
    std::string folder_;
    std::vector<Collective> collectives_;
    std::size_t bytes_;
    int root_;
    int iterations_;
};

}  // namespace

int main(int argc, char** argv) {
    if (std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "stop") == 0; })) {
        start_continuer();
    }
    Session session(argc, argv);
    Run(session).all();
    return session.finish();
}
