// The only file that includes nlohmann::json.

#include "algorithms/config/json_lines.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <nlohmann/json.hpp>

#include "topology/text_file.h"

namespace strata::algorithms {
namespace {

using topology::FileError;

constexpr std::size_t deepest = 8;  // the rules need 5
constexpr std::size_t longest_reason = 160;

/// The line of the last character read that is not blank. The parser reads one character past a number;
/// that may be a line end, which is blank.
struct Position {
    int line = 1;
    int solid_line = 1;
};

class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, Position& position) : at_(at), position_(&position) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        if (*at_ == '\n') {
            ++position_->line;
        } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
            position_->solid_line = position_->line;
        }
        ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

private:
    const char* at_;
    Position* position_;
};

/// Receives the parser's events in the order of the text.
class Builder {
public:
    using Json = nlohmann::json;

    Builder(const Position& position, std::string_view file, std::size_t most_values)
        : position_(position), file_(file), most_values_(most_values) {}
    JsonValue take() { return std::move(root_); }

    bool null() { return add({JsonValue::Kind::null, 0, {}, {}, 0, {}}); }
    bool boolean(bool is) { return add({JsonValue::Kind::boolean, 0, {}, {}, is ? 1.0 : 0.0, {}}); }
    bool number_integer(Json::number_integer_t value) { return add_number(static_cast<double>(value)); }
    bool number_unsigned(Json::number_unsigned_t value) { return add_number(static_cast<double>(value)); }
    bool number_float(Json::number_float_t value, const std::string&) { return add_number(value); }
    bool string(std::string& text) { return add({JsonValue::Kind::string, 0, {}, std::move(text), 0, {}}); }
    bool binary(Json::binary_t&) { return false; }  // JSON text has none
    bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
    bool start_array(std::size_t) { return open(JsonValue::Kind::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..."
        std::string_view text = error.what();
        text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
        if (text.starts_with("parse error at"))
            text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
        std::string message(text.substr(0, longest_reason));
        if (message.size() < text.size()) message += "...";
        for (char& c : message) {
            if (static_cast<unsigned char>(c) < ' ') c = ' ';
        }
        throw FileError(file_, position_.solid_line, message);
    }

private:
    bool add_number(double value) { return add({JsonValue::Kind::number, 0, {}, {}, value, {}}); }

    bool add(JsonValue value) {
        if (++values_ > most_values_) throw FileError(file_, position_.solid_line, "has too many values");
        value.line = position_.solid_line;
        value.key = std::exchange(key_, {});
        if (open_.empty()) {
            root_ = std::move(value);
        } else {
            open_.back()->items.push_back(std::move(value));
        }
        return true;
    }

    bool open(JsonValue::Kind kind) {
        if (open_.size() == deepest) throw FileError(file_, position_.solid_line, "is nested too deeply");
        add({kind, 0, {}, {}, 0, {}});
        // Its address is stable until it is closed: its siblings come later.
        open_.push_back(open_.empty() ? &root_ : &open_.back()->items.back());
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    const Position& position_;
    std::string_view file_;
    std::size_t most_values_;
    JsonValue root_;
    std::string key_;
    std::vector<JsonValue*> open_;
    std::size_t values_ = 0;
};

}  // namespace

JsonValue parse_json(std::string_view text, std::string_view file, std::size_t most_values) {
    Position position;
    Builder builder(position, file, most_values);
    nlohmann::json::sax_parse(CountingIterator(text.data(), position),
                              CountingIterator(text.data() + text.size(), position), &builder);
    return builder.take();
}

}  // namespace strata::algorithms
