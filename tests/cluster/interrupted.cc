// A fault in the middle of collectives: one rank dies, leaves or stops, or the script that runs this breaks
// a link. Every call that then succeeds, on any rank, must have delivered the right data.
//
//   interrupted --folder FOLDER [--collective NAME,...|all] [--bytes N] [--root RANK] [--iterations N]
//     [--errors fatal|return] [--fault none|kill|exit|abort|stop|outside]
//     [--when before|inside|message|after] [--at ITERATION] [--victim RANK] [--seconds N] [--outlived]
//
// `inside`: by a timer, which strikes only during the call. `message`: before the second message of the
// call, sent or awaited; each collective then has a new communicator.
//
// The program records events as files in FOLDER, because mpirun may lose the last output of a rank. Empty
// files: struck.COLLECTIVE, stopped.COLLECTIVE (and continued), hit.COLLECTIVE.agreement|message|returned
// (where `message` struck), wrong.RANK, error.RANK.CLASS, with --outlived also outlived.RANK, a second
// after the strike. served.COLLECTIVE.RANK: calls up to shortly before the fault, and their MPI_T counters.
// With `outside` rank 0 creates ready.COLLECTIVE, and all go on until the script removes it; progress.RANK
// has the number of finished calls.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "check.h"
#include "collective_cases.h"
#include "exchange.h"
#include "fault_in_flight.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// Number of calls by which ranks may run ahead of each other at a fault, or during a broken link.
constexpr int most_ahead = 2;

/// MPI_COMM_WORLD, or a copy of it.
class AllRanks {
public:
    explicit AllRanks(bool is_new) : is_new_(is_new) {
        if (is_new_) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        }
    }
    AllRanks(const AllRanks&) = delete;
    AllRanks& operator=(const AllRanks&) = delete;
    ~AllRanks() {
        if (is_new_) {
            MPI_Comm_free(&comm_);
        }
    }
    MPI_Comm comm() const { return comm_; }

private:
    bool is_new_;
    MPI_Comm comm_ = MPI_COMM_WORLD;
};

/// Records the plugin's counters on a communicator, from now on. Empty without the plugin.
class Served {
public:
    Served(Session& session, MPI_Comm comm)
        : session_(session), counters_(session, comm), before_(counters_.read(session)) {}

    void write(const std::string& path, int calls) const {
        std::ofstream file(path);
        file << "calls " << calls << '\n';
        for (const auto& [name, value] : counters_.read(session_)) {
            file << name << ' ' << value - before_.at(name) << '\n';
        }
    }

private:
    Session& session_;
    PluginCounters counters_;
    std::map<std::string, std::uint64_t> before_;
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
        const AllRanks everybody(fault_.wants_new_communicator());
        const Served served(session_, everybody.comm());
        Exchange exchange(collective, bytes_, root_, everybody.comm());
        const std::string name = name_of(collective);
        const int reported = fault_.at() - std::min(most_ahead, fault_.at() / 2);
        fault_.start(folder_, name);
        int iteration = 0;
        for (; goes_on(iteration, file("ready." + name)); ++iteration) {
            if (iteration == reported && iteration > 0) {
                report(served, name, iteration);
            }
            session_.at("%s, iteration %d", name.c_str(), iteration);
            exchange.prepare(iteration);
            fault_.pass("before", iteration);
            fault_.enter(iteration);
            const int code = exchange.call();
            fault_.leave(iteration);
            if (code != MPI_SUCCESS) {
                give_up(code);
            }
            fault_.pass("after", iteration);
            if (session_.sabotage_is("late") && iteration > fault_.at() && session_.sabotages("late")) {
                exchange.spoil();
            }
            check(exchange, collective, iteration);
            note_progress(iteration);
        }
        if (reported == 0) {
            report(served, name, iteration);
        }
    }

    /// Runs on every rank before any reaches the fault.
    void report(const Served& served, const std::string& collective, int calls) {
        served.write(file("served." + collective + "." + std::to_string(session_.rank())), calls);
        session_.total(0);
    }

    bool goes_on(int iteration, const std::string& ready) {
        if (!fault_.outside()) {
            return iteration < iterations_;
        }
        if (iteration == fault_.at() && session_.rank() == 0) {
            make_note(ready);
        }
        if (iteration <= fault_.at()) {
            return true;
        }
        // No rank may run far ahead: a root could send hundreds of messages while others receive none.
        if (iteration % most_ahead == 0) {
            session_.total(0);
        }
        return session_.agree(access(ready.c_str(), F_OK) == 0) != 0;
    }

    void note_progress(int iteration) {
        if (!fault_.outside()) {
            return;
        }
        if (!progress_.is_open()) {
            progress_.open(file("progress." + std::to_string(session_.rank())));
        }
        progress_.seekp(0);
        progress_ << iteration << std::flush;
    }

    void check(const Exchange& exchange, Collective collective, int iteration) {
        const int place = exchange.first_difference();
        const bool impossible = collective == Collective::barrier && fault_.cannot_succeed(iteration);
        if (place >= 0 || impossible) {
            make_note(file("wrong." + std::to_string(session_.rank())));
            session_.fail("WRONG: %s%d", impossible ? "succeeded without the victim " : "data at word ",
                          place);
        }
    }

    [[noreturn]] void give_up(int code) {
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        const std::string what = std::to_string(session_.rank()) + "." + std::to_string(error_class);
        make_note(file("error." + what));
        std::fprintf(stderr, "interrupted: rank %d: ERROR class %d\n", session_.rank(), error_class);
        fault_.outlive();
        MPI_Abort(MPI_COMM_WORLD, 9);
        std::abort();
    }

    std::string file(const std::string& name) const { return folder_ + "/" + name; }

    Session& session_;
    FaultInFlight fault_;
    std::string folder_;
    std::vector<Collective> collectives_;
    std::size_t bytes_;
    int root_;
    int iterations_;
    std::ofstream progress_;
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
