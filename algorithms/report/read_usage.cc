#include "algorithms/report/dump_reader.h"
#include "algorithms/report/text_table.h"
#include "algorithms/report/usage.h"

namespace strata::algorithms {
namespace {

constexpr double most = 1e15;

class UsageReader : DumpReader {
public:
    using DumpReader::DumpReader;

    std::optional<JobUse> read(const JsonValue& document) const {
        if (member(document, "communicators") == nullptr) return std::nullopt;
        JobUse use;
        for (const JsonValue& item : needed(document, "communicators", Kind::array).items) {
            use.communicators.push_back(communicator_of(item));
        }
        use.others = count(document, "other_communicators");
        return use;
    }

    std::optional<JobChoices> choices(const JsonValue& document) const {
        if (member(document, "plans") == nullptr) return std::nullopt;
        JobChoices all;
        if (member(document, "plans_of") != nullptr) all.communicator = text(document, "plans_of");
        for (const JsonValue& item : needed(document, "plans", Kind::array).items) {
            const JsonValue& chosen = needed(item, "chosen", Kind::object);
            CallUse choice;
            choice.collective = text(item, "collective");
            choice.least_bytes = count(item, "bytes");
            choice.most_bytes = count(item, "to_bytes");
            choice.path = text(chosen, "engine");
            choice.levels = levels(chosen);
            choice.why = text(chosen, "reason");
            choice.forward_us = time(chosen, "forward_us");
            const bool ours = choice.path != name_of(Engine::forward);
            choice.bound_us = bound(item);
            choice.predicted_us = ours ? time(chosen, "predicted_us") : choice.forward_us;
            all.choices.push_back(std::move(choice));
        }
        return all;
    }

private:
    std::string levels(const JsonValue& plan) const {
        std::string all;
        for (const JsonValue& level : needed(plan, "levels", Kind::array).items) {
            all += (all.empty() ? "" : ", ") + text(level, "level") + " " + text(level, "algorithm");
            if (const auto segment = count(level, "segment"); segment > 0) all += "/" + bytes_text(segment);
        }
        return all;
    }
    std::uint64_t count(const JsonValue& object, const char* name) const {
        return static_cast<std::uint64_t>(number(needed(object, name, Kind::number), 0, most));
    }
    double time(const JsonValue& object, const char* name) const {
        const JsonValue& value = needed(object, name, Kind::number);
        if (!(value.number >= 0 && value.number <= most)) fail(value, "a time is out of its range");
        return value.number + 0.0;  // not -0
    }
    /// 0 if it is missing: unknown, or the dump of an older release.
    double bound(const JsonValue& object) const {
        return member(object, "bound_us") != nullptr ? time(object, "bound_us") : 0;
    }
    const std::string& text(const JsonValue& object, const char* name) const {
        return needed(object, name, Kind::string).text;
    }

    CommunicatorUse communicator_of(const JsonValue& object) const {
        CommunicatorUse use;
        use.name = text(object, "name");
        use.ranks = static_cast<int>(number(needed(object, "ranks", Kind::number), 1, 1e9));
        use.setup_us = count(object, "setup_us");
        use.memory = count(object, "memory");
        for (const JsonValue& item : needed(object, "levels", Kind::array).items) {
            use.levels.push_back({text(item, "level"), count(item, "messages"), count(item, "bytes")});
        }
        for (const JsonValue& item : needed(object, "calls", Kind::array).items) {
            use.calls.push_back(calls_of(item));
        }
        if (member(object, "other_calls") != nullptr) use.others = count(object, "other_calls");
        return use;
    }
    CallUse calls_of(const JsonValue& object) const {
        CallUse use;
        use.collective = text(object, "collective");
        use.least_bytes = count(object, "bytes");
        use.most_bytes = count(object, "to_bytes");
        use.path = text(object, "path");
        use.levels = text(object, "levels");
        use.why = text(object, "why");
        use.sources = text(object, "sources");
        use.predicted_us = time(object, "predicted_us");
        use.forward_us = time(object, "forward_us");
        use.calls = count(object, "calls");
        use.total_us = time(object, "total_us");
        use.least_us = time(object, "least_us");
        use.most_us = time(object, "most_us");
        use.bound_us = bound(object);
        return use;
    }
};

}  // namespace

std::optional<JobUse> parse_usage(std::string_view dump, std::string_view file) {
    return UsageReader(file).read(parse_json(dump, file, most_dumped_values));
}

std::optional<JobChoices> parse_choices(std::string_view dump, std::string_view file) {
    return UsageReader(file).choices(parse_json(dump, file, most_dumped_values));
}

}  // namespace strata::algorithms
