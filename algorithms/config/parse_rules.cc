#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "algorithms/config/json_lines.h"
#include "algorithms/config/parse_text.h"
#include "algorithms/config/rules.h"
#include "topology/text.h"

namespace strata::algorithms {
namespace {

using topology::FileError;
using Kind = JsonValue::Kind;
using Names = std::span<const std::string_view>;

// Repeated in mca-params/strata-rules.schema.json; a test compares them.
constexpr std::array<std::string_view, 5> file_keys{"version", "rules", "links", "comment", "$schema"};
constexpr std::array<std::string_view, 7> rule_keys{"collective", "bytes",  "ranks",  "hierarchy",
                                                    "engine",     "levels", "comment"};
constexpr std::array<std::string_view, 2> condition_keys{"level", "group"};
constexpr std::array<std::string_view, 5> level_keys{"level", "group", "algorithm", "segment", "comment"};
constexpr std::array<std::string_view, 2> range_keys{"from", "below"};
constexpr std::size_t most_keys = 13;  // of any object
constexpr std::array<std::string_view, most_keys> link_keys{
    "level",     "latency_us", "overhead_us",    "mbytes_per_s", "eager_bytes",
    "parallel",  "far_share",  "far_send_share", "handshake_us", "bus_mbytes_per_s",
    "offloaded", "gap_us",     "comment"};

constexpr std::size_t longest_word = 64;
constexpr double largest_number = 9007199254740992;  // every whole number up to here is a double

std::string joined(Names names) {
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

bool has_bytes(Collective collective) {
    return traits_of(collective).has_data() && traits_of(collective).sized;
}

class Parser {
public:
    Parser(std::string_view file, const std::vector<std::string>& components)
        : file_(file), components_(components) {}

    Rules parse(const JsonValue& document);

private:
    /// The members of one object by name.
    class Members {
    public:
        Members(const Parser& parser, const JsonValue& object, const std::string& what, Names known);
        const JsonValue* operator[](std::string_view key) const;

    private:
        Names known_;
        std::array<const JsonValue*, most_keys> found_{};
    };

    [[noreturn]] void fail(const JsonValue& where, const std::string& why) const {
        throw FileError(file_, where.line, why);
    }
    /// Runs a parser of texts; its exception becomes an error of this line.
    template <class Parse>
    auto understood(const JsonValue& where, Parse&& parse) const {
        try {
            return parse();
        } catch (const std::invalid_argument& error) {
            fail(where, error.what());
        }
    }

    const std::vector<JsonValue>& array(const JsonValue& value) const;
    const std::string& word(const JsonValue& value) const;
    void comment(const JsonValue* value) const;
    std::size_t count(const JsonValue& value) const;
    std::size_t bytes(const JsonValue& value) const;
    double measure(const JsonValue& value, double least, double most) const;
    RuleRange range(const JsonValue& value, bool of_bytes) const;
    std::uint32_t collectives(const JsonValue& value) const;
    Collective collective(const JsonValue& value) const;
    topology::LevelPattern level(const JsonValue& value) const;
    Engine engine(const JsonValue& value) const;
    LevelRule level_rule(const JsonValue& value) const;
    LevelCondition condition(const JsonValue& value) const;
    Rule rule(const JsonValue& value) const;
    LinkRule link(const JsonValue& value) const;
    void check_uses(const JsonValue& value, const Members& members, const Rule& rule) const;

    std::string_view file_;
    const std::vector<std::string>& components_;
};

Parser::Members::Members(const Parser& parser, const JsonValue& object, const std::string& what, Names known)
    : known_(known) {
    if (object.kind != Kind::object) parser.fail(object, "expected " + what + ": {...}");
    for (const JsonValue& member : object.items) {
        const auto place = std::find(known.begin(), known.end(), member.key);
        if (place == known.end()) {
            parser.fail(member, "unknown key " + topology::quoted_text(member.key) + " in " + what +
                                    "; known: " + joined(known));
        }
        const JsonValue*& found = found_[static_cast<std::size_t>(place - known.begin())];
        if (found != nullptr) parser.fail(member, "the key '" + member.key + "' appears twice in " + what);
        found = &member;
    }
}

const JsonValue* Parser::Members::operator[](std::string_view key) const {
    return found_[static_cast<std::size_t>(std::find(known_.begin(), known_.end(), key) - known_.begin())];
}

const std::vector<JsonValue>& Parser::array(const JsonValue& value) const {
    if (value.kind != Kind::array) fail(value, "'" + value.key + "' must be a list: [...]");
    return value.items;
}

/// Returns a text that a one-line message can show.
const std::string& Parser::word(const JsonValue& value) const {
    if (value.kind != Kind::string) fail(value, "expected a text in double quotes");
    const bool printable =
        std::all_of(value.text.begin(), value.text.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
    if (value.text.size() > longest_word || !printable)
        fail(value, "unknown word " + topology::quoted_text(value.text));
    return value.text;
}

void Parser::comment(const JsonValue* value) const {
    if (value != nullptr && value->kind != Kind::string) fail(*value, "'" + value->key + "' must be a text");
}

std::size_t Parser::count(const JsonValue& value) const {
    const double number = value.number;
    if (value.kind != Kind::number || number < 0 || number > largest_number || number != std::floor(number)) {
        fail(value, "'" + value.key + "' must be a whole number");
    }
    return static_cast<std::size_t>(number);
}

std::size_t Parser::bytes(const JsonValue& value) const {
    if (value.kind == Kind::number) return count(value);
    if (value.kind != Kind::string) {
        fail(value, "'" + value.key + "' must be a number of bytes or a text like \"60k\"");
    }
    const std::string& text = word(value);
    return understood(value, [&] { return parse_size(text, text); });
}

double Parser::measure(const JsonValue& value, double least, double most) const {
    if (value.kind != Kind::number || !(value.number >= least) || value.number > most) {
        const auto shown = [](double number) { return topology::number_text(number, 9); };
        fail(value, "'" + value.key + "' must be a number from " + shown(least) + " to " + shown(most));
    }
    return value.number;
}

RuleRange Parser::range(const JsonValue& value, bool of_bytes) const {
    const Members members(*this, value, "a range", range_keys);
    RuleRange range;
    const auto read = [&](const JsonValue* limit, std::size_t& to) {
        if (limit != nullptr) to = of_bytes ? bytes(*limit) : count(*limit);
    };
    read(members["from"], range.from);
    read(members["below"], range.below);
    if (value.items.empty()) fail(value, "a range needs 'from' or 'below'");
    if (range.from >= range.below) {
        fail(value,
             "empty range: from " + std::to_string(range.from) + ", below " + std::to_string(range.below));
    }
    return range;
}

Collective Parser::collective(const JsonValue& value) const {
    const std::string& name = word(value);
    const auto place = std::find(collective_names.begin(), collective_names.end(), name);
    if (place == collective_names.end()) {
        fail(value, "unknown collective '" + name + "'; known: " + joined(collective_names));
    }
    return static_cast<Collective>(place - collective_names.begin());
}

std::uint32_t Parser::collectives(const JsonValue& value) const {
    const auto bit = [&](const JsonValue& name) { return 1U << static_cast<unsigned>(collective(name)); };
    if (value.kind != Kind::array) return bit(value);
    if (value.items.empty()) fail(value, "'collective' is empty; a rule without it holds for all");
    std::uint32_t all = 0;
    for (const JsonValue& name : value.items) {
        const std::uint32_t one = bit(name);
        if ((all & one) != 0) fail(name, "'" + name.text + "' appears twice");
        all |= one;
    }
    return all;
}

/// Must be written as in messages: the schema has no other form.
topology::LevelPattern Parser::level(const JsonValue& value) const {
    const std::string& name = word(value);
    const auto pattern = topology::parse_level(name);
    if (!pattern || topology::lower_case(name) != name) {
        fail(value, "unknown level '" + name + "'; known: " + topology::known_level_names() +
                        ", with a height as in switch1");
    }
    return *pattern;
}

Engine Parser::engine(const JsonValue& value) const {
    const std::string& name = word(value);
    const auto engine = engine_from_name(name);
    if (!engine) fail(value, "unknown engine '" + name + "'; known: " + known_engine_names());
    return *engine;
}

LevelRule Parser::level_rule(const JsonValue& value) const {
    const Members members(*this, value, "an entry of 'levels'", level_keys);
    LevelRule rule;
    comment(members["comment"]);
    if (const JsonValue* name = members["level"]) rule.level = level(*name);
    if (const JsonValue* group = members["group"]) rule.group = range(*group, false);
    if (const JsonValue* algorithm = members["algorithm"]) {
        const std::string& text = word(*algorithm);
        rule.method = understood(*algorithm, [&] { return parse_level_method(text, text, components_); });
        rule.method_line = algorithm->line;
    }
    if (const JsonValue* segment = members["segment"]) {
        rule.segment_bytes = bytes(*segment);
        rule.segment_line = segment->line;
    }
    if (!rule.method && !rule.segment_bytes) fail(value, "the entry needs 'algorithm' or 'segment'");
    return rule;
}

LevelCondition Parser::condition(const JsonValue& value) const {
    const Members members(*this, value, "an entry of 'hierarchy'", condition_keys);
    if (members["level"] == nullptr) fail(value, "the entry needs 'level'");
    LevelCondition condition{level(*members["level"]), {}};
    if (const JsonValue* group = members["group"]) condition.group = range(*group, false);
    return condition;
}

/// Checks that every collective of the rule can use every value on its own.
void Parser::check_uses(const JsonValue& value, const Members& members, const Rule& rule) const {
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        if (!rule.concerns(collective)) continue;
        Overrides alone;
        alone.engine = rule.engine.value_or(Engine::automatic);
        const auto check_alone = [&](int line) {
            const std::string conflict = check(alone, collective);
            if (conflict.empty()) return;
            throw FileError(file_, line,
                            conflict + (members["collective"] != nullptr
                                            ? ""
                                            : "; 'collective' limits the rule to those that can"));
        };
        check_alone(rule.engine ? rule.engine_line : value.line);
        for (const LevelRule& level : rule.levels) {
            if (!level.method) continue;
            alone.methods = {{level.level, *level.method}};
            check_alone(level.method_line);
        }
    }
}

Rule Parser::rule(const JsonValue& value) const {
    const Members members(*this, value, "a rule", rule_keys);
    Rule rule;
    comment(members["comment"]);
    if (const JsonValue* ranks = members["ranks"]) rule.ranks = range(*ranks, false);
    if (const JsonValue* size = members["bytes"]) rule.bytes = range(*size, true);
    if (const JsonValue* levels = members["hierarchy"]) {
        for (const JsonValue& entry : array(*levels)) rule.hierarchy.push_back(condition(entry));
        if (rule.hierarchy.empty()) fail(*levels, "'hierarchy' names no level");
    }
    const JsonValue* names = members["collective"];
    rule.collectives = names != nullptr ? collectives(*names) : (1U << collective_count) - 1;
    for (int op = 0; op < collective_count && members["bytes"] != nullptr; ++op) {
        const auto one = static_cast<Collective>(op);
        if (!rule.concerns(one) || has_bytes(one)) continue;
        if (names != nullptr) {
            fail(*members["bytes"], "not all ranks of a " + std::string(name_of(one)) +
                                        " know a number of bytes; leave out 'bytes' there");
        }
        rule.collectives &= ~(1U << op);
    }
    if (const JsonValue* name = members["engine"]) {
        rule.engine = engine(*name);
        rule.engine_line = name->line;
    }
    if (const JsonValue* levels = members["levels"]) {
        for (const JsonValue& entry : array(*levels)) rule.levels.push_back(level_rule(entry));
    }
    if (!rule.engine && rule.levels.empty()) fail(value, "the rule needs 'engine' or 'levels'");
    check_uses(value, members, rule);
    return rule;
}

LinkRule Parser::link(const JsonValue& value) const {
    const Members members(*this, value, "an entry of 'links'", link_keys);
    comment(members["comment"]);
    if (members["level"] == nullptr) fail(value, "the entry needs 'level'");
    LinkRule rule{level(*members["level"]), {}, value.line};
    if (rule.level.kind == topology::LevelKind::custom) {
        fail(*members["level"], "custom groups have no links of their own: name the level around them");
    }
    const auto read = [&](std::string_view key, double least, double most, std::optional<double>& to) {
        if (const JsonValue* number = members[key]) to = measure(*number, least, most);
    };
    read("latency_us", 0, 1e6, rule.link.latency_us);
    read("overhead_us", 0, 1e6, rule.link.overhead_us);
    read("mbytes_per_s", 0.001, 1e7, rule.link.bytes_per_us);
    read("parallel", 1, 1024, rule.link.parallel);
    read("far_share", 0, 100, rule.link.far_share);
    read("far_send_share", 0, 100, rule.link.far_send_share);
    read("handshake_us", 0, 1e6, rule.link.handshake_us);
    read("bus_mbytes_per_s", 0.001, 1e7, rule.link.bus_bytes_per_us);
    read("gap_us", 0, 1e6, rule.link.gap_us);
    if (rule.link.gap_us && !is_network(rule.level.kind))
        fail(*members["gap_us"], "'gap_us' is for levels between nodes");
    if (const JsonValue* offloaded = members["offloaded"]) {
        if (offloaded->kind != Kind::boolean) fail(*offloaded, "'offloaded' must be true or false");
        rule.link.offloaded = offloaded->number != 0;
    }
    if (const JsonValue* eager = members["eager_bytes"]) {
        rule.link.eager_bytes = bytes(*eager);
        if (*rule.link.eager_bytes == 0) fail(*eager, "'eager_bytes' must be at least 1");
    }
    const auto& [latency, overhead, bandwidth, eager, parallel, far, handshake, bus, offloaded, gap,
                 far_send] = rule.link;
    if (!latency && !overhead && !bandwidth && !eager && !parallel && !far && !far_send && !handshake &&
        !bus && !offloaded && !gap) {
        fail(value, "the entry sets nothing; known: " + joined(link_keys));
    }
    return rule;
}

Rules Parser::parse(const JsonValue& document) {
    const Members members(*this, document, "a rules file", file_keys);
    const JsonValue* version = members["version"];
    if (version == nullptr) fail(document, "needs \"version\": 1");
    if (version->kind != Kind::number || version->number != 1) {
        fail(*version, "unknown version; this plugin reads version 1");
    }
    comment(members["comment"]);
    comment(members["$schema"]);
    Rules rules;
    if (const JsonValue* links = members["links"]) {
        for (const JsonValue& entry : array(*links)) rules.links.push_back(link(entry));
    }
    if (const JsonValue* list = members["rules"]) {
        if (array(*list).size() > most_rules) {
            fail(*list, "more than " + std::to_string(most_rules) + " rules");
        }
        for (const JsonValue& entry : list->items) rules.rules.push_back(rule(entry));
    }
    return rules;
}

}  // namespace

Rules parse_rules(std::string_view text, std::string_view file, const std::vector<std::string>& components) {
    if (text.size() > longest_rules_file) {
        throw FileError(file, 0, "is longer than " + std::to_string(longest_rules_file) + " bytes");
    }
    return Parser(file, components).parse(parse_json(text, file));
}

}  // namespace strata::algorithms
