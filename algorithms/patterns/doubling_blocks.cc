#include "algorithms/patterns/doubling_blocks.h"

#include <bit>
#include <cstddef>
#include <utility>

namespace strata::algorithms {
namespace {

void append(std::vector<int>& to, const std::vector<int>& blocks) {
    to.insert(to.end(), blocks.begin(), blocks.end());
}

}  // namespace

DoublingBlocks::DoublingBlocks(std::vector<HalvingPlace> places, std::vector<std::vector<int>> behind)
    : places_(std::move(places)),
      behind_(std::move(behind)),
      rounds_(static_cast<int>(std::bit_width(places_.size())) - 1) {}

/// Returns the place of `member`, or its partner's if it has none.
int DoublingBlocks::place_of(int member) const {
    int place = 0;
    while (places_[place].rank != member && places_[place].partner != member) ++place;
    return place;
}

/// Appends the blocks that a place has after `rounds` rounds.
void DoublingBlocks::add_held(std::size_t place, int rounds, std::vector<int>& blocks) const {
    append(blocks, behind_[places_[place].rank]);
    if (places_[place].partner >= 0) append(blocks, behind_[places_[place].partner]);
    add_received(place, rounds, blocks);
}

void DoublingBlocks::add_received(std::size_t place, int rounds, std::vector<int>& blocks) const {
    for (int round = 0; round < rounds; ++round) add_held(peer_of(place, round), round, blocks);
}

std::vector<DoublingBlocks::Exchange> DoublingBlocks::exchanges(int member) const {
    const auto place = static_cast<std::size_t>(place_of(member));
    const auto& [rank, partner] = places_[place];
    std::vector<Exchange> all;
    for (int round = 0; member == rank && round < rounds_; ++round) {
        Exchange& exchange = all.emplace_back();
        exchange.peer = places_[peer_of(place, round)].rank;
        add_held(peer_of(place, round), round, exchange.in);
        add_held(place, round, exchange.out);
    }
    if (partner < 0) return all;
    std::vector<int> others = behind_[rank];
    add_received(place, rounds_, others);
    Exchange& exchange = all.emplace_back();
    exchange.peer = member == rank ? partner : rank;
    exchange.in = behind_[partner];
    exchange.out = std::move(others);
    if (member == partner) std::swap(exchange.in, exchange.out);
    return all;
}

std::vector<int> DoublingBlocks::outside(int member) const {
    const auto place = static_cast<std::size_t>(place_of(member));
    const auto& [rank, partner] = places_[place];
    const int other = member == rank ? partner : rank;
    std::vector<int> blocks;
    if (other >= 0) append(blocks, behind_[other]);
    add_received(place, rounds_, blocks);
    return blocks;
}

}  // namespace strata::algorithms
