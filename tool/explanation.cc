#include "explanation.h"

#include <algorithm>

#include "algorithms/report/text_table.h"

namespace strata::tool {
namespace {

using algorithms::CallUse;
using algorithms::number_text;

/// Returns an empty text if not all ranks know the size.
std::string sizes_of(const CallUse& use) {
    return use.most_bytes == 0 ? ""
                               : algorithms::span_text(algorithms::bytes_text(use.least_bytes),
                                                       algorithms::bytes_text(use.most_bytes));
}

std::string heading(const CallUse& use, const std::string& sizes, const std::string& where, bool colour) {
    return algorithms::heading(use.collective + (sizes.empty() ? "" : " of " + sizes) + where, colour);
}

std::string line(const char* label, const std::string& text) {
    constexpr std::size_t width = 12;
    std::string name = "  " + std::string(label);
    name.resize(width, ' ');
    return text.empty() ? "" : name + text + "\n";
}

std::string expected(const CallUse& use) {
    const bool ours = use.path != "forward" || !use.levels.empty();
    if (use.predicted_us <= 0) return "no prediction";
    std::string text = number_text(use.predicted_us) + " us";
    if (ours && use.forward_us > 0) {
        text += "; by the underlying component " + number_text(use.forward_us) + " us";
    }
    return text;
}

std::string measured(const CallUse& use) {
    std::string text = number_text(use.mean_us()) + " us";
    if (use.calls > 1) {
        text += " on average over " + std::to_string(use.calls) + " calls, from " +
                number_text(use.least_us) + " to " + number_text(use.most_us) + " us";
    }
    return text + ", on process 0";
}

/// Returns why there is no measured time.
std::string nothing_measured(const JobDump& story) {
    if (!story.use) return "unknown: the dump was not completed by MPI_Finalize";
    const auto& communicators = story.use->communicators;
    const bool all_kinds = std::all_of(communicators.begin(), communicators.end(),
                                       [](const auto& communicator) { return communicator.others == 0; });
    return std::string("process 0 has recorded no such call") +
           (story.use->others > 0 ? " on the listed communicators" : "") +
           (all_kinds ? "" : " among the listed kinds of calls");
}

std::string how(const CallUse& use) {
    std::string path = use.path == "forward" ? "the underlying component" : use.path;
    if (!use.levels.empty()) path += (use.path == "forward" ? "'s " : ": ") + use.levels;
    return line("path", path) + line("why", use.why) + line("set by", use.sources);
}

bool concerns(const Question& question, const CallUse& use) {
    const auto& names = question.operations;
    const bool named = names.empty() || std::find(names.begin(), names.end(), use.collective) != names.end();
    const bool sized = !question.bytes || use.most_bytes == 0 ||
                       (use.least_bytes <= *question.bytes && *question.bytes <= use.most_bytes);
    return named && sized;
}

/// Returns the choice for `bytes`; if only some sizes were examined, that for the largest one up to
/// `bytes`.
const CallUse* choice_for(const std::vector<CallUse>& choices, const std::string& operation,
                          std::size_t bytes) {
    const CallUse* found = nullptr;
    for (const CallUse& choice : choices) {
        if (choice.collective == operation && (found == nullptr || choice.least_bytes <= bytes)) {
            found = &choice;
        }
    }
    return found;
}

/// For calls without a plan, such as those before the set-up: the dump's choice for the same size.
std::string expected(const CallUse& use, const JobDump& story, const std::string& communicator) {
    const CallUse* choice = nullptr;
    if (use.predicted_us <= 0 && communicator == story.choices.communicator) {
        choice = choice_for(story.choices.choices, use.collective, use.least_bytes);
    }
    if (choice == nullptr || choice->forward_us <= 0) return expected(use);
    std::string text = number_text(choice->forward_us) + " us";
    if (choice->path != "forward" && choice->predicted_us > 0) {
        text += "; by " + choice->path + ", once set up, " + number_text(choice->predicted_us) + " us";
    }
    return text + (choice->most_bytes > 0 ? ", for " + algorithms::bytes_text(choice->least_bytes) : "");
}

/// The time that no algorithm can beat, for the shortest of the calls.
std::string bound(const CallUse& use) {
    if (use.bound_us <= 0) return "";
    const std::string share = use.bound_share();
    return number_text(use.bound_us) + " us by the given bandwidths alone" +
           (share.empty() ? "" : ", " + share + " of the fastest call");
}

/// What to do if even the fastest of several calls took far longer than predicted. A single call may include
/// waiting for ranks that came later, and new connections.
std::string hint(const CallUse& use) {
    constexpr double far_longer = 3;
    const bool longer = use.predicted_us > 0 && use.least_us >= far_longer * use.predicted_us;
    if (use.calls < 2 || !longer) return "";
    return "the fastest call took " + number_text(use.least_us / use.predicted_us) +
           " times as long as expected: ranks arrive late, or the model does not know these links "
           "(give them by a preset or bench/tune)";
}

std::string paragraph(const CallUse& use, const JobDump& story,
                      const algorithms::CommunicatorUse& communicator, bool colour) {
    const std::string where =
        " on " + communicator.name + ", " + std::to_string(communicator.ranks) + " ranks";
    return heading(use, sizes_of(use), where, colour) + how(use) +
           line("expected", expected(use, story, communicator.name)) + line("measured", measured(use)) +
           line("bound", bound(use)) + line("hint", hint(use));
}

/// A choice without calls; for a size that was not examined, the choice for a nearby one.
std::string paragraph(const CallUse& choice, const Question& question, const JobDump& story, bool colour) {
    using algorithms::bytes_text;
    const bool sized = choice.most_bytes > 0;
    const bool asked = sized && question.bytes;
    const std::size_t bytes = asked ? *question.bytes : choice.least_bytes;
    const bool itself = choice.least_bytes == choice.most_bytes && bytes == choice.least_bytes;
    const std::string sizes = asked ? bytes_text(bytes) : sizes_of(choice);
    const std::string& name = story.choices.communicator;
    const std::string whose = sized && !itself ? ", for " + bytes_text(choice.least_bytes) : "";
    const std::string least = bound(choice);
    return heading(choice, sizes, name.empty() ? "" : " on " + name, colour) + how(choice) +
           line("as for", asked && !itself ? sizes_of(choice) : "") +
           line("expected", expected(choice) + (choice.predicted_us > 0 ? whose : "")) +
           line("measured", nothing_measured(story)) + line("bound", least.empty() ? "" : least + whose);
}

/// An operation without recorded calls.
std::string without_calls(const std::string& operation, const Question& question, const JobDump& story,
                          bool colour) {
    const std::string& asked = question.communicator;
    const std::string& known = story.choices.communicator;
    const std::string none =
        operation + (asked.empty() ? "" : " on " + asked) + ": " + nothing_measured(story) + "; ";
    if (story.choices.choices.empty()) {
        return none + "the dump lists no choices: strata-topo --plans --from-dump does\n";
    }
    if (!asked.empty() && asked != known) {
        return none + "the choices in the dump are those of " +
               (known.empty() ? "a communicator that it does not name" : known) + "\n";
    }
    const CallUse* choice = choice_for(story.choices.choices, operation, question.bytes.value_or(0));
    if (choice == nullptr) return none + "the dump has no choice for it\n";
    return paragraph(*choice, question, story, colour);
}

}  // namespace

std::string explain(const JobDump& story, const Question& question, bool colour) {
    std::string text;
    std::vector<std::string> missing = question.operations;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
    for (const auto& communicator : story.use.value_or(algorithms::JobUse{}).communicators) {
        if (!question.communicator.empty() && question.communicator != communicator.name) continue;
        for (const CallUse& use : communicator.calls) {
            if (!concerns(question, use)) continue;
            add(paragraph(use, story, communicator, colour));
            std::erase(missing, use.collective);
        }
        if (communicator.others > 0) {
            add("Not listed: " + std::to_string(communicator.others) + " more calls on " + communicator.name +
                ", of further kinds.\n");
        }
    }
    for (const std::string& operation : missing) add(without_calls(operation, question, story, colour));
    if (text.empty()) text = nothing_measured(story) + (story.use ? "\n" : "; --op LIST asks for choices\n");
    if (const auto others = story.use.value_or(algorithms::JobUse{}).others; others > 0) {
        text += "\nNot listed: " + std::to_string(others) +
                " more communicators, on which process 0 spent less time.\n";
    }
    return text;
}

}  // namespace strata::tool
