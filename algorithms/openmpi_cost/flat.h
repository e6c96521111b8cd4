#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/cost/links.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Times unsegmented messages between arbitrary ranks: the resources of TreeModel, which now contend because
/// a pattern that does not know the hierarchy crosses a group's boundary many times. Every resource serves
/// messages in the order in which they reach it; a message holds each only for its own bytes / bandwidth.
class FlatModel {
public:
    FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links);

    int ranks() const { return static_cast<int>(ranks_.size()); }
    /// Sends when `ready` and the sender's processor allow, the receiver waiting for it; returns when that
    /// goes on, us.
    double send(int from, int to, std::size_t bytes, double ready);
    /// The same while the receiver goes on with its own work; returns the arrival.
    double transmit(int from, int to, std::size_t bytes, double ready);
    /// For how long a message keeps the processor at either end busy, us.
    double work_us(int from, int to, std::size_t bytes) const;
    /// True for a message that does not leave before its receiver has asked for it.
    bool waits_for_receiver(int from, int to, std::size_t bytes) const;
    /// From the start of a message until its arrival where nothing is in its way, us. `least`: that its bytes
    /// take.
    double hop_us(int from, int to, std::size_t bytes, double least = 0) const;
    /// Of combining so many bytes of one operand.
    double combine_us(std::size_t bytes) const { return static_cast<double>(bytes) * combine_us_per_byte_; }
    /// For how long a message occupies a group's connection to its parent, us.
    double occupied_us(int group, std::size_t bytes) const {
        const Connection& connection = groups_[group].connection;
        return std::max(connection.gap_us, static_cast<double>(bytes) * connection.us_per_byte);
    }
    /// True of a connection between nodes.
    bool at_nic(int group) const {
        const int parent = hierarchy_.groups[static_cast<std::size_t>(group)].parent;
        return parent >= 0 && groups_[parent].network;
    }
    /// For how long it occupies what all share that moves inside the group, us.
    double bus_us(int group, std::size_t bytes) const {
        return static_cast<double>(bytes) * groups_[group].bus.us_per_byte;
    }
    /// Lets messages occupy all that they use, whenever that is.
    void add_load(int from, int to, std::size_t bytes, int messages = 1);
    /// The same for a rank's processor.
    void add_load(int rank, double us) { ranks_[rank].processor_load += us; }
    /// How long the busiest resource is occupied by all loads, us.
    double busiest_us() const;
    /// When the sender's processor can start its next message, us.
    double free_at(int rank) const { return ranks_[rank].processor_free; }

private:
    struct Resource {
        double free = 0;  ///< from here on, us
        double load = 0;  ///< us
    };
    /// A group's connection to its parent, or a rank's own NIC.
    struct Connection {
        Resource out;
        Resource in;
        double us_per_byte = 0;
        double gap_us = 0;
    };
    /// What all messages share that move inside a group, or into it or out of it.
    struct Bus {
        Resource resource;
        double us_per_byte = 0;  ///< 0: no limit
    };
    struct RankState {
        double processor_free = 0;
        double processor_load = 0;
        Connection nic;
    };
    struct GroupState {
        Connection connection;
        Bus bus;
        LinkParameters link;  ///< of the group's own level
        bool network = false;
        double copy_us_per_byte = 0;  ///< of the processor at either end
    };
    struct Passage;

    /// Calls visit(connection, resource) for all connections between two ranks, in the order in which
    /// messages pass, and visit(bus) for the groups that they are in; returns the group that has both.
    template <typename Self, typename Visit>
    static auto& walk(Self& self, int from, int to, Visit&& visit);
    const GroupState& common(int from, int to) const;
    /// `least`: us that its bytes take.
    static double transfer_us(const GroupState& common, std::size_t bytes, double narrowest, double least);
    static double processor_us(const GroupState& common, std::size_t bytes);

    const topology::Hierarchy& hierarchy_;
    std::vector<RankState> ranks_;
    std::vector<GroupState> groups_;
    std::size_t least_eager_ = 0;  ///< messages below need no handshake anywhere
    double combine_us_per_byte_;
};

}  // namespace strata::algorithms
