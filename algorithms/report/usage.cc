#include "algorithms/report/usage.h"

#include "algorithms/report/json_members.h"
#include "algorithms/report/text_table.h"

namespace strata::algorithms {
namespace {

using topology::json_text;

std::string time_text(double us) { return us > 0 ? number_text(us) : "?"; }

std::string size_text(const CallUse& use) {
    return use.most_bytes == 0 ? "any" : span_text(bytes_text(use.least_bytes), bytes_text(use.most_bytes));
}

std::string measured_text(const CallUse& use) {
    if (use.calls == 1) return number_text(use.total_us);
    return number_text(use.mean_us()) + " (" + number_text(use.least_us) + " - " + number_text(use.most_us) +
           ")";
}

std::string levels_line(const CommunicatorUse& use) {
    std::string text;
    for (const LevelUse& level : use.levels) {
        text += (text.empty() ? "  sent by this rank: " : "; ") + level.level + " " +
                std::to_string(level.messages) + " messages, " + std::to_string(level.bytes) + " B";
    }
    return text.empty() ? "" : text + "\n";
}

std::string title(const CommunicatorUse& use) {
    std::string text = use.name + ", " + std::to_string(use.ranks) + " ranks";
    if (use.setup_us > 0) text += ", set up in " + number_text(static_cast<double>(use.setup_us)) + " us";
    if (use.memory > 0) text += ", " + std::to_string(use.memory) + " B of memory";
    return text;
}

std::string json_of(const CallUse& use) {
    return "{" + member("collective", json_text(use.collective)) + "," + member("bytes", use.least_bytes) +
           "," + member("to_bytes", use.most_bytes) + "," + member("path", json_text(use.path)) + "," +
           member("levels", json_text(use.levels)) + "," + member("why", json_text(use.why)) + "," +
           member("sources", json_text(use.sources)) + "," + member("predicted_us", use.predicted_us) + "," +
           member("forward_us", use.forward_us) + "," + member("calls", use.calls) + "," +
           member("total_us", use.total_us) + "," + member("least_us", use.least_us) + "," +
           member("most_us", use.most_us) + (use.bound_us > 0 ? "," + member("bound_us", use.bound_us) : "") +
           "}";
}

std::string json_of(const LevelUse& use) {
    return "{" + member("level", json_text(use.level)) + "," + member("messages", use.messages) + "," +
           member("bytes", use.bytes) + "}";
}

template <class Item>
std::string json_of(const std::vector<Item>& items);

std::string json_of(const CommunicatorUse& use) {
    return "{" + member("name", json_text(use.name)) + "," +
           member("ranks", static_cast<std::uint64_t>(use.ranks)) + "," + member("setup_us", use.setup_us) +
           "," + member("memory", use.memory) + "," + member("levels", json_of(use.levels)) + "," +
           member("calls", json_of(use.calls)) + "," + member("other_calls", use.others) + "}";
}

template <class Item>
std::string json_of(const std::vector<Item>& items) {
    std::string json = "[";
    for (const Item& item : items) json += (json.size() > 1 ? ",\n" : "") + json_of(item);
    return json + "]";
}

}  // namespace

std::string CallUse::bound_share() const {
    return bound_us > 0 && least_us > 0 ? number_text(100 * bound_us / least_us) + " %" : "";
}

std::string usage_text(const JobUse& use, bool colour) {
    std::string text;
    for (const CommunicatorUse& communicator : use.communicators) {
        text += (text.empty() ? "" : "\n") + heading(title(communicator), colour) + levels_line(communicator);
        Table table({"calls", "path", "operation", "bytes", "levels and segments", "expected us",
                     "measured us", "bound us", "bound / fastest", "why"},
                    colour);
        for (const CallUse& call : communicator.calls) {
            const auto engine = engine_from_name(call.path);
            table.add({std::to_string(call.calls), call.path, call.collective, size_text(call), call.levels,
                       time_text(call.predicted_us), measured_text(call),
                       call.bound_us > 0 ? number_text(call.bound_us) : "", call.bound_share(), call.why},
                      engine ? paint_of(*engine) : "", call.sources);
        }
        text += table.text();
        if (communicator.others > 0) {
            text += "  " + std::to_string(communicator.others) + " more calls, of further kinds\n";
        }
    }
    if (use.others > 0) text += "\n" + std::to_string(use.others) + " more communicators\n";
    return text;
}

std::string usage_members(const JobUse& use) {
    return "\n" + member("communicators", json_of(use.communicators)) + "," +
           member("other_communicators", use.others);
}

}  // namespace strata::algorithms
