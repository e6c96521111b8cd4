#include "explanation.h"

#include <algorithm>

#include "strata/algorithms/text_table.h"

namespace strata::tool {
namespace {

using algorithms::CallUse;
using algorithms::number_text;

std::string size_of(const CallUse& use) {
    if (use.most_bytes == 0) return "";
    const std::string sizes = algorithms::span_text(algorithms::bytes_text(use.least_bytes),
                                                    algorithms::bytes_text(use.most_bytes));
    return " of " + sizes;
}

std::string line(const char* label, const std::string& text) {
    constexpr std::size_t width = 12;
    std::string name = "  " + std::string(label);
    name.resize(width, ' ');
    return text.empty() ? "" : name + text + "\n";
}

std::string expected(const CallUse& use) {
    const bool ours = use.path != "forward" || !use.levels.empty();
    if (use.predicted_us <= 0) return "nothing is predicted";
    std::string text = number_text(use.predicted_us) + " us";
    if (ours && use.forward_us > 0) {
        text += "; by the previous component " + number_text(use.forward_us) + " us";
    }
    return text;
}

std::string measured(const CallUse& use) {
    if (use.calls == 0) return "not called in this job";
    std::string text = number_text(use.mean_us()) + " us";
    if (use.calls > 1) {
        text += " in the mean of " + std::to_string(use.calls) + " calls, from " + number_text(use.least_us) +
                " to " + number_text(use.most_us) + " us";
    }
    return text + ", on process 0";
}

std::string paragraph(const CallUse& use, const std::string& where, bool colour) {
    std::string path = use.path == "forward" ? "the previous component" : use.path;
    if (!use.levels.empty()) path += (use.path == "forward" ? "'s " : ": ") + use.levels;
    return algorithms::heading(use.collective + size_of(use) + where, colour) + line("path", path) +
           line("why", use.why) + line("set by", use.sources) + line("expected", expected(use)) +
           line("measured", measured(use));
}

bool concerns(const Question& question, const CallUse& use) {
    const auto& names = question.operations;
    const bool named = names.empty() || std::find(names.begin(), names.end(), use.collective) != names.end();
    const bool sized = !question.bytes || use.most_bytes == 0 ||
                       (use.least_bytes <= *question.bytes && *question.bytes <= use.most_bytes);
    return named && sized;
}

/// Where only some sizes were looked at, the largest not above the one in question.
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

}  // namespace

std::string explain(const JobStory& story, const Question& question, bool colour) {
    std::string text;
    std::vector<std::string> missing = question.operations;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
    for (const auto& communicator : story.use.value_or(algorithms::JobUse{}).communicators) {
        if (!question.communicator.empty() && question.communicator != communicator.name) continue;
        const std::string where =
            " on " + communicator.name + ", " + std::to_string(communicator.ranks) + " ranks";
        for (const CallUse& use : communicator.calls) {
            if (!concerns(question, use)) continue;
            add(paragraph(use, where, colour));
            std::erase(missing, use.collective);
        }
    }
    for (const std::string& operation : missing) {
        if (const CallUse* choice = choice_for(story.choices, operation, question.bytes.value_or(0))) {
            add(paragraph(*choice, "", colour));
        } else {
            add(operation + ": not called, and the dump has no choice for it\n");
        }
    }
    if (text.empty()) text = "no such call in this job\n";
    if (const auto others = story.use.value_or(algorithms::JobUse{}).others; others > 0) {
        text +=
            "\nOf " + std::to_string(others) + " more communicators, with fewer calls, nothing is told.\n";
    }
    return text;
}

}  // namespace strata::tool
