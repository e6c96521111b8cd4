// Measures links between ranks: exchanges between given pairs, timed from an agreed start.
//
// The program is plain MPI and knows ranks by number; the caller knows which pair crosses which link.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agreed_start.h"
#include "command_line.h"

namespace {

constexpr int data_tag = 1;
constexpr int answer_tag = 2;
constexpr int outstanding = 4;  // messages in flight in a stream, the same number as the plugin's
constexpr int fewest_times = 3;
constexpr int most_discarded_in_a_row = 50;
constexpr std::int64_t most_streamed_bytes = std::int64_t{256} << 20;

constexpr const char* description =
    "Measures exchanges between pairs of ranks, which all begin at an agreed time.\n\n"
    "The file holds one experiment per line: KIND BYTES COUNT A-B [A-B ...]. KIND is\n"
    "pingpong: every pair sends a message back and forth, COUNT times;\n"
    "stream: every A sends its B COUNT messages, four at a time; B answers after the last one.\n"
    "A stream with COUNT 0 doubles its messages until it takes --least-ms. Empty lines and text after\n"
    "a # are skipped. The times are microseconds from the start until the last pair has finished.\n";

struct Options {
    std::string experiments;
    std::string json;
    int repetitions = 9;
    double seconds = 2;
    double least_ms = 20;
    double spin_us = 20;

    std::int64_t spin_ns() const { return static_cast<std::int64_t>(spin_us * 1e3); }
};

struct Experiment {
    bool stream = false;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    std::vector<std::pair<int, int>> pairs;
};

// Throws std::invalid_argument.
Experiment parse(const std::string& line, int ranks) {
    std::istringstream words(line);
    Experiment one;
    std::string kind, pair;
    words >> kind >> one.bytes >> one.count;
    one.stream = kind == "stream";
    const bool known = one.stream || kind == "pingpong";
    if (!words || !known || one.bytes < 0 || one.bytes > INT32_MAX || one.count < (one.stream ? 0 : 1)) {
        throw std::invalid_argument("'" + line + "': expected pingpong|stream BYTES COUNT A-B ...");
    }
    while (words >> pair) {
        int from = -1, to = -1;
        char dash = 0, rest = 0;
        std::istringstream parts(pair);
        parts >> from >> dash >> to;
        if (!parts || parts >> rest || dash != '-' || from == to || std::min(from, to) < 0 ||
            std::max(from, to) >= ranks) {
            throw std::invalid_argument("'" + pair + "': expected two of " + std::to_string(ranks) +
                                        " ranks, A-B");
        }
        one.pairs.emplace_back(from, to);
    }
    if (one.pairs.empty()) throw std::invalid_argument("'" + line + "': there is no pair");
    return one;
}

// Reads the file, which is the same on every node. Throws std::invalid_argument.
std::vector<Experiment> read(const std::string& path, int ranks) {
    std::ifstream file(path);
    std::vector<Experiment> all;
    for (std::string line; std::getline(file, line);) {
        line.resize(std::min(line.size(), line.find('#')));
        if (line.find_first_not_of(" \t\r") != std::string::npos) all.push_back(parse(line, ranks));
    }
    if (all.empty())
        throw std::invalid_argument("--experiments " + path +
                                    ": the file has no experiments or cannot be read");
    return all;
}

// Runs one rank's part of an experiment.
class Part {
public:
    Part(const Experiment& experiment, int rank, MPI_Comm comm) : experiment_(experiment), comm_(comm) {
        for (const auto& [from, to] : experiment.pairs) {
            if (from == rank) connections_.push_back({to, true});
            if (to == rank) connections_.push_back({from, false});
        }
        const std::size_t slots = experiment.stream ? connections_.size() * outstanding : connections_.size();
        buffer_.assign(slots * static_cast<std::size_t>(experiment.bytes) + 1, 'x');
    }

    bool takes_part() const { return !connections_.empty(); }

    void run(std::int64_t count) {
        if (experiment_.stream) {
            stream(count);
        } else {
            for (const Connection& connection : connections_) ping(connection, count);
        }
    }

private:
    struct Connection {
        int peer;
        bool sending;
    };

    void ping(const Connection& connection, std::int64_t count) {
        for (std::int64_t i = 0; i < 2 * count; ++i) {
            if ((i % 2 == 0) == connection.sending) {
                MPI_Send(buffer_.data(), bytes(), MPI_BYTE, connection.peer, data_tag, comm_);
            } else {
                MPI_Recv(buffer_.data(), bytes(), MPI_BYTE, connection.peer, data_tag, comm_,
                         MPI_STATUS_IGNORE);
            }
        }
    }

    void stream(std::int64_t count) {
        std::vector<MPI_Request> requests(connections_.size() * outstanding, MPI_REQUEST_NULL);
        std::vector<std::int64_t> left(connections_.size(), count);
        const auto next = [&](std::size_t slot) {
            const Connection& connection = connections_[slot / outstanding];
            if (left[slot / outstanding]-- <= 0) return;
            char* place = buffer_.data() + slot * static_cast<std::size_t>(experiment_.bytes);
            if (connection.sending) {
                MPI_Isend(place, bytes(), MPI_BYTE, connection.peer, data_tag, comm_, &requests[slot]);
            } else {
                MPI_Irecv(place, bytes(), MPI_BYTE, connection.peer, data_tag, comm_, &requests[slot]);
            }
        };
        for (std::size_t slot = 0; slot < requests.size(); ++slot) next(slot);
        for (int slot = 0;;) {
            MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &slot, MPI_STATUS_IGNORE);
            if (slot == MPI_UNDEFINED) break;
            next(static_cast<std::size_t>(slot));
        }
        answer();
    }

    void answer() {
        std::vector<MPI_Request> requests;
        for (const Connection& connection : connections_) {
            MPI_Request& request = requests.emplace_back();
            if (connection.sending) {
                MPI_Irecv(nullptr, 0, MPI_BYTE, connection.peer, answer_tag, comm_, &request);
            } else {
                MPI_Isend(nullptr, 0, MPI_BYTE, connection.peer, answer_tag, comm_, &request);
            }
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    int bytes() const { return static_cast<int>(experiment_.bytes); }

    const Experiment& experiment_;
    MPI_Comm comm_;
    std::vector<Connection> connections_;
    std::vector<char> buffer_;
};

// Repeats one experiment. Every rank takes part, at least by waiting; rank 0 has the complete result.
class Measurement {
public:
    Measurement(bench::Conductor& conductor, const Experiment& experiment, const Options& options,
                MPI_Comm comm)
        : conductor_(conductor),
          experiment_(experiment),
          options_(options),
          part_(experiment, conductor.rank(), comm) {
        conductor_.compare_clocks();
    }

    std::vector<double> run() {
        count_ = experiment_.count > 0 ? experiment_.count : found_count();
        const std::int64_t begin_ns = bench::now_ns();
        std::vector<double> times_us;
        for (int discarded = 0; more(times_us.size(), discarded, begin_ns);) {
            const bench::Outcome outcome = once();
            if (outcome.late > 0) {
                ++discarded;
                continue;
            }
            discarded = 0;
            times_us.push_back(static_cast<double>(outcome.duration_ns) / 1e3);
        }
        return times_us;
    }

    std::int64_t count() const { return count_; }

private:
    bool more(std::size_t done, int discarded, std::int64_t begin_ns) {
        const bool in_time =
            static_cast<double>(bench::now_ns() - begin_ns) < options_.seconds * 1e9 || done < fewest_times;
        const bool wanted = in_time && done < static_cast<std::size_t>(options_.repetitions) &&
                            discarded < most_discarded_in_a_row;
        return conductor_.agree(wanted) != 0;
    }

    bench::Outcome once() {
        conductor_.start(true, options_.spin_ns());
        part_.run(count_);
        return conductor_.finish(bench::now_ns(), part_.takes_part());
    }

    // Doubles the count until the stream takes long enough, which also warms up.
    std::int64_t found_count() {
        const std::int64_t each = experiment_.bytes * static_cast<std::int64_t>(experiment_.pairs.size());
        count_ = outstanding;
        const auto doubled = [&](const bench::Outcome& outcome) {
            const bool quick = static_cast<double>(outcome.duration_ns) < options_.least_ms * 1e6;
            return (quick || outcome.late > 0) && 2 * count_ * each <= most_streamed_bytes;
        };
        while (conductor_.agree(doubled(once())) != 0) count_ *= 2;
        return count_;
    }

    bench::Conductor& conductor_;
    const Experiment& experiment_;
    const Options& options_;
    Part part_;
    std::int64_t count_ = 1;
};

void write(std::FILE* file, const Experiment& experiment, std::int64_t count,
           const std::vector<double>& times_us) {
    std::fprintf(file, "{\"kind\": \"%s\", \"bytes\": %lld, \"count\": %lld, \"pairs\": [",
                 experiment.stream ? "stream" : "pingpong", static_cast<long long>(experiment.bytes),
                 static_cast<long long>(count));
    const char* comma = "";
    for (const auto& [from, to] : experiment.pairs) {
        std::fprintf(file, "%s[%d, %d]", std::exchange(comma, ", "), from, to);
    }
    std::fprintf(file, "], \"unit\": \"us\", \"times\": [");
    comma = "";
    for (const double time : times_us) std::fprintf(file, "%s%.3f", std::exchange(comma, ", "), time);
    std::fprintf(file, "]}\n");
    std::fflush(file);
}

// Returns on every rank whether all experiments have times.
bool measure_all(const Options& options) {
    bench::Conductor conductor(MPI_COMM_WORLD);
    const std::vector<Experiment> experiments = read(options.experiments, conductor.size());
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const bool reporting = conductor.rank() == 0;
    std::FILE* json = reporting ? std::fopen(options.json.c_str(), "w") : nullptr;
    if (reporting && json == nullptr) std::perror(options.json.c_str());
    bool good = conductor.agree(!reporting || json != nullptr) != 0;
    for (std::size_t i = 0; good && i < experiments.size(); ++i) {
        Measurement measurement(conductor, experiments[i], options, comm);
        const std::vector<double> times_us = measurement.run();
        if (reporting) write(json, experiments[i], measurement.count(), times_us);
        good = conductor.agree(!times_us.empty()) != 0;
        if (reporting && !good)
            std::fprintf(stderr, "link_probe: no repetition began in time on all ranks\n");
    }
    if (json != nullptr) std::fclose(json);
    MPI_Comm_free(&comm);
    return good;
}

void describe(CLI::App& app, Options& options) {
    app.add_option("--experiments", options.experiments, "File of experiments, the same on every node")
        ->required();
    app.add_option("--json", options.json, "File for one JSON object per experiment, written by rank 0")
        ->required();
    bench::describe_number(app, "--seconds", options.seconds,
                           "Seconds after which no repetition begins, except the first three");
    bench::describe_number(app, "--least-ms", options.least_ms,
                           "Least duration of a stream of count 0, in milliseconds");
    bench::describe_timing(app, options.repetitions, "Repetitions of each experiment", options.spin_us);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{description};
    describe(app, options);
    return bench::run(app, argc, argv, "link_probe", [&] { return measure_all(options); });
}
