// strata-explain: which path the collective operations of a job took, why, and how long they took.
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "command_line.h"
#include "explanation.h"
#include "job_run.h"
#include "output.h"
#include "plan_options.h"
#include "reading.h"
#include "topology/text_file.h"

namespace strata::tool {
namespace {

constexpr const char* examples = R"(Examples:
  mpirun --mca coll_strata_dump job.json ./program
  strata-explain job.json
      every kind of call of that job, those that took most time first
  strata-explain job.json --op allreduce --bytes 64k
      one of them; if no call of it is known, what would have been chosen
  strata-explain --run --op bcast,barrier -- mpirun -n 8 ./program
      runs a program and explains what it did

Expected: the prediction of the plugin's cost model. Measured: on process 0 of the job, from the choice of the call's
path to its end; without set-up and planning, with the wait for other processes. Communicators without process 0 are
not listed. Bound: no algorithm takes less time on links of the bandwidths that a preset or rules give; shown only with
such ones. It counts bandwidth only, so it means nothing for short messages.
Exit status: with --run that of the command, unless it is 0 (128 + N after signal N); else 0 when done, 1 when the
result could not be written or the job left nothing to explain, 2 when an option or the file is wrong.)";

struct Options {
    std::string dump;
    std::string op;
    std::string bytes;
    std::string communicator;
    std::string output;
    bool run = false;
    std::vector<std::string> command;  ///< words after "--"
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    const TwoCommands words = split_at_dashes(argc, argv);
    options.command = words.behind.value_or(std::vector<std::string>());
    CLI::App app{"Shows which path the collective operations of a job took, why, and how long they took.",
                 "strata-explain"};
    app.add_option("DUMP", options.dump, "The file that a job wrote: coll_strata_dump=NAME.json")
        ->type_name("");
    const OptionMaker option{app};
    option("--op", options.op, "LIST", "These operations: bcast,allreduce (all that were called)",
           known_operations());
    option("--bytes", options.bytes, "SIZE", "Calls of this size: 64k");
    option("--communicator", options.communicator, "NAME",
           "Calls on the communicator of this name (of all communicators)");
    option("--output", options.output, "FILE", "Where to write it; - is standard output (-)");
    app.add_flag("--run", options.run, "Run the command behind -- and explain it, in place of DUMP");
    app.set_version_flag("--version", "strata-explain " STRATA_VERSION, "Print the version");
    app.footer(examples);
    if (!parse_arguments(app, words.argc, argv)) return std::nullopt;
    if (options.run && !options.dump.empty())
        throw UsageError("run", "takes no file: the command writes one");
    if (options.run && options.command.empty()) {
        throw UsageError("run", "the command is missing: strata-explain --run -- mpirun ./program");
    }
    if (options.run) return options;
    if (options.dump.empty()) {
        throw UsageError("the dump of a job is missing; see strata-explain --help");
    }
    if (words.behind) throw UsageError("a command behind -- needs --run");
    return options;
}

Question question_of(const Options& options) {
    Question question;
    if (!options.op.empty()) {
        for (const algorithms::Collective collective : collectives(options.op)) {
            question.operations.emplace_back(algorithms::name_of(collective));
        }
    }
    if (const auto bytes = sizes(options.bytes, "bytes"); !bytes.empty()) {
        if (bytes.size() > 1) throw UsageError("bytes", "takes one size");
        question.bytes = bytes.front();
    }
    question.communicator = options.communicator;
    return question;
}

JobDump read_story(const std::string& path) {
    const std::string text = topology::read_text_file(path);
    const auto choices = algorithms::parse_choices(text, path);
    JobDump story{algorithms::parse_usage(text, path), choices.value_or(algorithms::JobChoices())};
    if (!story.use && !choices) {
        throw topology::FileError(path, 0, "not a dump of a job; coll_strata_dump=NAME.json writes one");
    }
    if (!story.use && story.choices.choices.empty()) {
        throw std::runtime_error(
            path +
            ": the job did not end in MPI_Finalize, or is still running, and has too many ranks "
            "to list its choices; strata-topo --plans --from-dump " +
            path + " lists them");
    }
    return story;
}

void show(const Options& options, const Question& question, const std::string& path) {
    const JobDump story = read_story(path);
    if (!story.use) {
        std::fprintf(stderr,
                     "strata-explain: %s: the job did not end in MPI_Finalize, or is still running: nothing "
                     "measured\n",
                     path.c_str());
    }
    const bool colour = (options.output.empty() || options.output == "-") && isatty(STDOUT_FILENO) != 0;
    write_output(explain(story, question, colour), options.output);
}

void perform(const Options& options, int& status) {
    const Question question = question_of(options);
    if (!options.run) {
        show(options, question, options.dump);
        return;
    }
    require_writable(options.output);
    RunFolder folder("strata-explain");
    const std::string dump = folder.file("job.json");
    status = run_job(options.command, {{"coll_strata_dump", dump}});
    if (!std::filesystem::exists(dump)) {
        throw std::runtime_error(
            "--run: '" + options.command[0] +
            "' left nothing to explain: is it a job of Open MPI, with the plugin, that calls "
            "collective operations?");
    }
    try {
        show(options, question, dump);
    } catch (...) {
        folder.keep();
        std::fprintf(stderr, "strata-explain: the job's dump is kept: %s\n", dump.c_str());
        throw;
    }
}

}  // namespace
}  // namespace strata::tool

int main(int argc, char** argv) {
    using namespace strata::tool;
    int status = 0;
    const int own = run_command("strata-explain", [&] {
        if (const std::optional<Options> options = parse(argc, argv)) perform(*options, status);
    });
    return status != 0 ? status : own;
}
