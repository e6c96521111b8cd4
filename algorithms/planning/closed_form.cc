#include "algorithms/planning/closed_form.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/cost/links.h"

namespace strata::algorithms {
namespace {

/// The shape of a tree over one group.
struct Depth {
    double hops;          ///< on the path to the last participant
    double waits;         ///< earlier messages of the senders on that path
    double sends;         ///< messages of the first participant
    bool relays = false;  ///< other participants send as many messages as the first one, and receive one more
};

/// A k-nomial tree reaches participant v by as many hops as v has digits other than 0 in base k.
Depth knomial_depth(int size, int radix) {
    double hops = 0;
    double sends = 0;
    long long least = 0;  // the first participant at `hops` hops: 11...1
    for (long long reached = 1; reached < size; reached *= radix) {
        sends += static_cast<double>(std::min<long long>(radix - 1, (size - 1) / reached));
        least += reached;
        if (least < size) ++hops;
    }
    return {hops, (sends - hops) / (radix > 2 ? 2 : 1), sends};
}

int radix_of(const LevelMethod& method) {
    return method.radix > 0 ? method.radix : info(method.algorithm).default_radix;
}

Depth depth_of(const LevelMethod& method, int size) {
    const int twos = std::bit_width(static_cast<unsigned>(size)) - 1;
    const double others = size - 1;
    switch (method.algorithm) {
        case Algorithm::linear: return {1, others - 1, others};
        case Algorithm::pipeline:
        case Algorithm::ring: return {others, 0, 1, others > 1};
        case Algorithm::chain: {
            const double chains = std::min<double>(radix_of(method), others);
            return {std::ceil(others / chains), chains - 1, chains};
        }
        case Algorithm::binary:
            return {static_cast<double>(twos), static_cast<double>(twos), std::min(others, 2.0), others > 2};
        case Algorithm::double_binary: return {twos + 1.0, static_cast<double>(twos), 1, true};
        case Algorithm::knomial: return knomial_depth(size, radix_of(method));
        default: break;
    }
    return knomial_depth(size, 2);
}

}  // namespace

struct ClosedForm::Path {
    double us;         ///< until the last participant has the first message
    double processor;  ///< busy time of the first participant's processor, us per message
    double relay;      ///< additional busy time of another participant's processor, us per message
    double wire;       ///< busy time of the first participant's connection, us per message
    double own_wire;   ///< the same, at least one message at the link's bandwidth
};

ClosedForm::ClosedForm(const CostModel& model, const CollectiveTraits& traits, std::size_t bytes)
    : traits_(traits),
      bytes_(static_cast<double>(std::max<std::size_t>(bytes, 1))),
      combine_us_per_byte_(model.combine_us_per_byte()) {
    double group_bytes = bytes_;
    for (std::size_t place = 0; place < model.levels().size(); ++place) {
        const int size = model.largest_group(place);
        if (size < 2) continue;
        const LinkParameters& link = model.link(place);
        const bool network = model.network(place);
        const double copy = algorithms::copy_us_per_byte(link, network);
        levels_.push_back(
            {place, size, group_bytes, network, link, copy, copy > 0 ? 0 : connection_us_per_byte(link)});
        group_bytes /= size;
    }
}

ClosedForm::Path ClosedForm::path_over(const Level& level, const LevelPlan& plan, double message) const {
    const LinkParameters& link = level.link;
    const Depth depth = depth_of(plan.method, level.size);
    const double combine = combine_us_per_byte_ * message;
    const double processor = link.overhead_us + message * level.copy_us_per_byte + combine;
    const double wire = std::max(gap_us(link, level.network), message * level.wire_us_per_byte);
    const double busy = std::max(processor, wire);
    const double hop = link.latency_us + 2 * link.overhead_us + message / link.bytes_per_us + combine +
                       handshake_us(link, static_cast<std::size_t>(message));
    const double path = std::max(depth.hops * hop + depth.waits * busy, (depth.sends - 1) * busy + hop);
    const double own_wire = std::max(depth.sends * wire, message / link.bytes_per_us);
    return {path, depth.sends * processor, depth.relays ? processor : 0, depth.sends * wire, own_wire};
}

double ClosedForm::vector_us(std::span<const LevelPlan> plans) const {
    const bool exchange = is_exchange(plans.front().method);
    const bool two_trees = std::any_of(plans.begin(), plans.end(), [](const LevelPlan& plan) {
        return info(plan.method.algorithm).double_tree;
    });
    const double whole = two_trees ? bytes_ / 2 : bytes_;
    const double directions = traits_.up && traits_.down ? 2 : 1;
    const auto message_on = [&](const Level& level) {
        const auto segment = static_cast<double>(plans[level.place].segment_bytes);
        return segment > 0 && (traits_.blocks || !exchange) ? std::min(segment, whole) : whole;
    };
    // One process may lead a group of every level, and all its messages to other nodes leave by one
    // connection.
    double processor_pace = 0;
    double relay_pace = 0;
    double nic_pace = 0;
    for (const Level& level : levels_) {
        if (exchange && level.place == 0) continue;
        const double message = message_on(level);
        const Path path = path_over(level, plans[level.place], message);
        processor_pace += directions * path.processor / message;
        relay_pace = std::max(relay_pace, directions * path.relay / message);
        if (level.network) nic_pace += path.wire / message;
    }
    processor_pace += relay_pace;
    double first = 0;
    double last = 0;
    double arriving = whole;  // bytes per message from the level above
    for (const Level& level : levels_) {
        if (exchange && level.place == 0) continue;
        const double message = message_on(level);
        const Path path = path_over(level, plans[level.place], message);
        const double pace = std::max({processor_pace, level.network ? nic_pace : 0, path.own_wire / message});
        double begin = first;
        // A longer message waits until enough shorter ones have arrived.
        if (message > arriving) {
            const double missing = (std::ceil(message / arriving) - 1) * arriving;
            begin = std::min(last, first + missing * (last - first) / (whole - arriving));
        }
        first = begin + path.us;
        last = std::max(first + (whole - message) * pace, last + path.us);
        arriving = message;
    }
    return last + (directions - 1) * first;
}

/// Returns the us for which the blocks of other participants delay the last one's in a chain.
double ClosedForm::handed_on(const Level& level, const LevelMethod& method, double segment) const {
    const double block = level.group_bytes / level.size;
    const double rest = level.group_bytes - block;
    const bool chain = method.algorithm == Algorithm::pipeline || method.algorithm == Algorithm::ring;
    if (!chain) return 0;
    const double message = segment > 0 ? std::min(segment, rest) : rest / 2;
    return (level.size - 2) * message / level.link.bytes_per_us;
}

double ClosedForm::block_us(std::span<const LevelPlan> plans) const {
    double us = 0;
    double longest = 0;
    double processor = 0;  // of one process that leads a group of every level
    for (const Level& level : levels_) {
        const LevelPlan& plan = plans[level.place];
        const auto segment = static_cast<double>(plan.segment_bytes);
        const LinkParameters& link = level.link;
        const Depth depth = depth_of(plan.method, level.size);
        const double block = level.group_bytes / level.size;
        const double rest = level.group_bytes - block;
        const double message = segment > 0 ? std::min(segment, block) : block;
        const double messages = segment > 0 ? std::max(depth.sends, std::ceil(rest / segment)) : depth.sends;
        const double work = messages * link.overhead_us + rest * level.copy_us_per_byte;
        const double data =
            std::max({messages * gap_us(link, level.network), rest / link.bytes_per_us, work});
        us += depth.hops * (link.latency_us + 2 * link.overhead_us +
                            handshake_us(link, static_cast<std::size_t>(message))) +
              handed_on(level, plan.method, segment);
        if (segment > 0) {
            us += message / link.bytes_per_us;
            longest = std::max(longest, data);
            processor += work;
        } else {
            us += data;
        }
    }
    us += std::max(longest, processor);
    if (!traits_.up || !traits_.down) return us;
    return us + vector_us(plans);
}

double ClosedForm::us(std::span<const LevelPlan> plans) const {
    return traits_.blocks ? block_us(plans) : vector_us(plans);
}

}  // namespace strata::algorithms
