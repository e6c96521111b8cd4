#include "algorithms/report/text_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "topology/text.h"

namespace strata::algorithms {

std::string bytes_text(std::size_t bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB"};
    std::size_t unit = 0;
    while (unit + 1 < std::size(units) && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + units[unit];
}

std::string number_text(double value) {
    return value >= 100 ? std::to_string(std::llround(value)) : topology::number_text(value, 3);
}

std::string span_text(const std::string& from, const std::string& to) {
    return from == to ? from : from + " - " + to;
}

std::string heading(const std::string& text, bool colour) {
    return colour ? "\033[1m" + text + "\033[0m\n" : text + "\n";
}

const char* paint_of(Engine engine) {
    switch (engine) {
        case Engine::tree: return "\033[32m";
        case Engine::ring: return "\033[36m";
        case Engine::rails: return "\033[33m";
        case Engine::node: return "\033[34m";
        case Engine::levels: return "\033[35m";
        default: return "";
    }
}

Table::Table(std::vector<std::string> head, bool colour) : colour_(colour) {
    rows_.push_back({std::move(head), {}, {}});
}

void Table::add(std::vector<std::string> cells, const char* paint, std::string note) {
    rows_.push_back({std::move(cells), paint, std::move(note)});
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().cells.size(), 0);
    for (const Row& row : rows_) {
        for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row.cells[c].size());
    }
    std::string all;
    for (const Row& row : rows_) {
        std::string line = " ";
        for (std::size_t c = 0; c < widths.size(); ++c) {
            std::string cell = row.cells[c];
            if (c + 1 < widths.size()) cell.resize(widths[c], ' ');
            const bool painted = colour_ && c == 1 && !row.paint.empty();
            line += " " + (painted ? row.paint + cell + "\033[0m" : cell) + " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        const bool head = colour_ && &row == &rows_.front();
        all += (head ? "\033[2m" + line + "\033[0m" : line) + "\n";
        if (!row.note.empty()) all += std::string(widths.front() + 5, ' ') + row.note + "\n";
    }
    return all;
}

}  // namespace strata::algorithms
