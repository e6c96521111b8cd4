#pragma once
// Numbers and tables as text.
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/base/plan.h"

namespace strata::algorithms {

/// Returns "60 KiB", "1000 B".
std::string bytes_text(std::size_t bytes);
/// Returns three digits; from 100 on a whole number.
std::string number_text(double value);
/// Returns "8 B - 1 KiB", or one of both if they are equal.
std::string span_text(const std::string& from, const std::string& to);
/// Returns a line above a table.
std::string heading(const std::string& text, bool colour);

/// Returns the escape sequence of an engine's name.
const char* paint_of(Engine engine);

/// Cells under a head, each column as wide as its widest cell.
class Table {
public:
    Table(std::vector<std::string> head, bool colour);
    /// `paint`: escape sequence of the second cell; `note`: below the row, indented.
    void add(std::vector<std::string> cells, const char* paint = "", std::string note = {});
    std::string text() const;

private:
    struct Row {
        std::vector<std::string> cells;
        std::string paint;
        std::string note;
    };
    std::vector<Row> rows_;
    bool colour_;
};

}  // namespace strata::algorithms
