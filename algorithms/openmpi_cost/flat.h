#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/cost/links.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Times unsegmented messages between arbitrary ranks. It has the resources of TreeModel, which contend here,
/// because a flat pattern crosses a group's boundary many times. Each resource serves messages in the order
/// of their arrival; a message holds it only for its own bytes / bandwidth.
class FlatModel {
public:
    FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links);

    int ranks() const { return static_cast<int>(ranks_.size()); }
    /// Sends a message when `ready` and the sender's processor allow; the receiver waits for it. Returns the
    /// time at which the receiver continues, us.
    double send(int from, int to, std::size_t bytes, double ready);
    /// The same while the receiver continues with its own work; returns the arrival.
    double transmit(int from, int to, std::size_t bytes, double ready);
    /// Returns the us for which a message keeps the processor at either end busy.
    double work_us(int from, int to, std::size_t bytes) const;
    /// The connections between two ranks, the same in both directions. Valid as long as the model.
    class Path;
    Path path(int one, int other) const;
    /// Returns true for a message that waits for its receive.
    bool waits_for_receiver(const Path& path, std::size_t bytes) const;
    bool waits_for_receiver(int from, int to, std::size_t bytes) const;
    /// Returns the us from a message's start to its arrival without contention. `least`: of its bytes.
    double hop_us(const Path& path, std::size_t bytes, double least = 0) const;
    /// Returns the us of combining `bytes` bytes of one operand.
    double combine_us(std::size_t bytes) const { return static_cast<double>(bytes) * combine_us_per_byte_; }
    /// Returns the us for which a message occupies a group's connection to its parent.
    double occupied_us(int group, std::size_t bytes) const {
        const Connection& connection = groups_[group].connection;
        return std::max(connection.gap_us, static_cast<double>(bytes) * connection.us_per_byte);
    }
    /// Returns true for a connection between nodes.
    bool at_nic(int group) const {
        const int parent = hierarchy_.groups[static_cast<std::size_t>(group)].parent;
        return parent >= 0 && groups_[parent].network;
    }
    /// Returns the us for which a message occupies a group's bus.
    double bus_us(int group, std::size_t bytes) const {
        return static_cast<double>(bytes) * groups_[group].bus.us_per_byte;
    }
    /// Adds messages to the loads of all resources that they use, at any time.
    void add_load(int from, int to, std::size_t bytes, int messages = 1);
    /// Adds to the load of a rank's processor.
    void add_load(int rank, double us) { ranks_[rank].processor_load += us; }
    /// Returns the load of the busiest resource, us.
    double busiest_us() const;
    /// Starts anew with no load anywhere.
    void clear_loads();
    /// Returns the time at which the sender's processor can start its next message, us.
    double free_at(int rank) const { return ranks_[rank].processor_free; }

private:
    struct Resource {
        double free = 0;  ///< idle from then on, us
        double load = 0;  ///< us
    };
    /// A group's connection to its parent, or a rank's own NIC.
    struct Connection {
        Resource out;
        Resource in;
        double us_per_byte = 0;
        double gap_us = 0;
    };
    /// A bus, shared by all messages inside a group, into it or out of it.
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
        int link = 0;  ///< of the group's own level, in links_
        bool network = false;
        double copy_us_per_byte = 0;  ///< of the processor at either end
    };
    struct Passage;

    /// Calls visit(connection, resource) for all connections between two ranks in the order of passage, and
    /// visit(bus) for the groups that contain the ends; returns the lowest common group.
    template <typename Self, typename Visit>
    static auto& walk(Self& self, int from, int to, Visit&& visit);
    const GroupState& common(int from, int to) const;
    /// `least`: least us for its bytes.
    double transfer_us(const GroupState& common, std::size_t bytes, double narrowest, double least) const;
    double processor_us(const GroupState& common, std::size_t bytes) const;
    const LinkParameters& link_of(const GroupState& group) const { return links_[group.link]; }

    const topology::Hierarchy& hierarchy_;
    std::vector<LinkParameters> links_;  ///< one per level, which all groups of the level share
    std::vector<RankState> ranks_;
    std::vector<GroupState> groups_;
    std::size_t least_eager_ = 0;  ///< shorter messages need no handshake anywhere
    double combine_us_per_byte_;
};

class FlatModel::Path {
    friend FlatModel;
    const GroupState* common;
    double narrowest = 0;  ///< us per byte
};

}  // namespace strata::algorithms
