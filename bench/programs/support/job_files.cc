#include "job_files.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>

#include "calls.h"
#include "collective_operations.h"
#include "latency_options.h"

namespace bench {

namespace {

using nlohmann::json;

constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

void require(bool good, const std::string& complaint) {
    if (!good) throw std::invalid_argument(complaint);
}

void check_keys(const json& entry, std::initializer_list<std::string_view> known) {
    require(entry.is_object(), "expected an object");
    std::string all;
    for (const auto one : known) all += (all.empty() ? "" : ", ") + std::string(one);
    for (const auto& item : entry.items()) {
        require(std::ranges::find(known, item.key()) != known.end(),
                "unknown key '" + item.key() + "'; known: " + all);
    }
}

std::vector<std::uint64_t> sizes_of(const json& list) {
    auto sizes = list.get<std::vector<std::uint64_t>>();
    require(std::ranges::all_of(sizes, [](auto size) { return size <= INT32_MAX; }),
            "sizes: expected bytes, at most " + std::to_string(INT32_MAX));
    return sizes;
}

// Parses the entries of a list with `parse`; errors name the file and the entry.
template <class Parse>
auto entries(std::string_view text, const std::string& path, Parse parse) {
    std::vector<decltype(parse(json()))> found;
    try {
        const json list = json::parse(text);
        require(list.is_array() && !list.empty(), "expected a list with at least one entry");
        for (std::size_t place = 0; place < list.size(); ++place) {
            try {
                found.push_back(parse(list[place]));
            } catch (const std::exception& error) {
                throw std::invalid_argument("entry " + std::to_string(place + 1) + ": " + error.what());
            }
        }
    } catch (const std::exception& error) {
        throw std::invalid_argument(path + ": " + error.what());
    }
    return found;
}

Contender contender_of(const json& entry) {
    check_keys(entry, {"name", "with", "info", "sizes"});
    Contender one;
    one.name = entry.at("name").get<std::string>();
    require(!one.name.empty() && one.name.size() < 64 &&
                one.name.find_first_not_of(name_characters) == std::string::npos,
            "'" + one.name + "': expected a name of letters, digits, '_', '.', '+' and '-'");
    one.algorithm = entry.value("with", one.algorithm);
    require(
        std::ranges::any_of(all_algorithms(), [&](const auto& known) { return known.name == one.algorithm; }),
        "with: no algorithm '" + one.algorithm + "'");
    one.info = entry.value("info", one.info);
    for (const auto& [key, value] : one.info) {
        require(key.size() < MPI_MAX_INFO_KEY && value.size() < MPI_MAX_INFO_VAL,
                "info: '" + key + "': MPI takes keys of up to " + std::to_string(MPI_MAX_INFO_KEY - 1) +
                    " characters, and values of up to " + std::to_string(MPI_MAX_INFO_VAL - 1));
    }
    if (entry.contains("sizes")) one.sizes = sizes_of(entry["sizes"]);
    return one;
}

Cell cell_of(const json& entry) {
    check_keys(entry, {"op", "root", "sizes", "except"});
    Cell cell;
    cell.operation = entry.at("op").get<std::string>();
    require(std::ranges::any_of(all_operations(),
                                [&](const auto& known) { return known.name == cell.operation; }),
            "op: no operation '" + cell.operation + "'");
    cell.root = entry.value("root", cell.root);
    require(is_root(cell.root), "root: '" + cell.root + "': expected " + root_expected);
    if (!operation_named(cell.operation).sized) {
        cell.sizes = {0};
    } else {
        cell.sizes = sizes_of(entry.at("sizes"));
        require(!cell.sizes.empty() && std::ranges::find(cell.sizes, 0u) == cell.sizes.end(),
                "sizes: expected at least one, and none of 0");
    }
    const json none = json::object();
    const json& except = entry.contains("except") ? entry["except"] : none;
    for (const auto& item : except.items()) cell.except[item.key()] = sizes_of(item.value());
    return cell;
}

}  // namespace

bool Cell::wants(const Contender& contender, std::uint64_t size) const {
    const auto holds = [size](const auto& list) { return std::ranges::find(list, size) != list.end(); };
    const auto found = except.find(contender.name);
    return (contender.sizes.empty() || holds(contender.sizes)) &&
           (found == except.end() || !holds(found->second));
}

std::vector<Contender> parse_contenders(std::string_view text, const std::string& path) {
    auto contenders = entries(text, path, contender_of);
    for (auto one = contenders.begin(); one != contenders.end(); ++one) {
        require(std::find_if(contenders.begin(), one,
                             [&](const auto& before) { return before.name == one->name; }) == one,
                path + ": two contenders are called '" + one->name + "'");
    }
    return contenders;
}

std::vector<Cell> parse_cells(std::string_view text, const std::string& path) {
    return entries(text, path, cell_of);
}

}  // namespace bench
