#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/network.h"

namespace strata::topology {

/// Limit on the switches above a node: more than any machine has; a locality record's limit is 255.
inline constexpr int most_switch_levels = 64;

/// Expands the host lists of one network, whose total is limited to most_host_names: many short lines
/// must not exhaust memory.
class HostLists {
public:
    /// As expand_host_list().
    std::vector<std::string> expand(std::string_view list) {
        if (names_ > most_host_names) fail();
        std::vector<std::string> names = expand_host_list(list);
        names_ += names.size();
        if (names_ > most_host_names) fail();
        return names;
    }

private:
    [[noreturn]] static void fail() {
        throw std::invalid_argument("more than " + std::to_string(most_host_names) +
                                    " names in all lists together");
    }
    std::size_t names_ = 0;
};

/// Builds a Network; parents precede their children.
class NetworkBuilder {
public:
    /// Adds a switch below `parent` (-1: at the top); returns its id.
    int add(std::string name, int parent) {
        network_.switches_.push_back({std::move(name), parent});
        return static_cast<int>(network_.switches_.size()) - 1;
    }
    int parent(int id) const { return at(id).parent; }
    const std::string& name(int id) const { return at(id).name; }
    /// Puts a host directly below a switch unless it already is below one; returns the id of its switch.
    int put(const std::string& host, int id) { return network_.leaf_of_.try_emplace(host, id).first->second; }
    Network take() { return std::move(network_); }

private:
    const Network::Switch& at(int id) const { return network_.switches_[static_cast<std::size_t>(id)]; }

    Network network_;
};

}  // namespace strata::topology
