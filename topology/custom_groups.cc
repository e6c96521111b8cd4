#include "topology/custom_groups.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "topology/place_table.h"

namespace strata::topology {
namespace {

/// The assignment of one rank by a custom level.
struct Share {
    int item = -1;    ///< index in HintLevel::items; -1: not taken yet
    int anchor = -1;  ///< the place directly above its piece; -1: not grouped
    int piece = 0;    ///< number of its piece of the item's ranks
};

/// Finds the objects that contain ranks.
class ContainingObjects {
public:
    explicit ContainingObjects(const PlaceTree& tree)
        : tree_(tree),
          node_(tree.places.size(), -1),
          kinds_(tree.places.size(), 0),
          lowest_(tree.places.size()) {
        for (std::size_t i = 1; i < tree.places.size(); ++i) {
            const Place& place = tree.places[i];
            node_[i] = place.level.kind == LevelKind::node ? static_cast<int>(i)
                                                           : node_[static_cast<std::size_t>(place.parent)];
            if (node_[i] >= 0) kinds_[static_cast<std::size_t>(node_[i])] |= place.kinds & hardware_kinds;
        }
        std::iota(lowest_.begin(), lowest_.end(), 0);
        for (std::size_t i = tree.places.size() - 1; i > 0; --i) {
            const auto parent = static_cast<std::size_t>(tree.places[i].parent);
            if (tree.places[i].ranks == tree.places[parent].ranks) lowest_[parent] = lowest_[i];
        }
    }

    int ranks() const { return static_cast<int>(tree_.of.size()); }
    int node_of(int rank) const { return node_[static_cast<std::size_t>(place_of(rank))]; }

    /// Returns the lowest place with the same ranks: pieces lie below it, so that it stays whole and
    /// keeps its name.
    int lowest(int place) const { return place < 0 ? place : lowest_[static_cast<std::size_t>(place)]; }

    /// Returns the smallest object of a level that contains a rank; -1 without one.
    int object(LevelPattern level, int rank) const {
        const int narrowest = place_of(rank);
        for (int at = narrowest; at > 0; at = tree_.at(at).parent) {
            if (tree_.at(at).matches(level)) return at;
        }
        const int node = node_of(rank);
        const bool bound = narrowest != node;
        return bound && is_whole_node(level.kind, node) ? node : -1;
    }

private:
    int place_of(int rank) const { return tree_.of[static_cast<std::size_t>(rank)]; }

    /// Returns true if the node replaces its only object of a level, which is in no record. This holds
    /// if the node has neither that level nor a wider one below it: with a wider one, the machine lacks
    /// the level (for instance a cache below its packages). NUMA nodes always exist.
    bool is_whole_node(LevelKind kind, int node) const {
        if ((bit_of(kind) & hardware_kinds) == 0) return false;
        const std::uint16_t present = kinds_[static_cast<std::size_t>(node)];
        const auto wider = static_cast<std::uint16_t>(bit_of(kind) - 1U);
        return (present & (kind == LevelKind::numa ? bit_of(kind) : bit_of(kind) | wider)) == 0;
    }

    const PlaceTree& tree_;
    std::vector<int> node_;             // place -> the place of its node, or -1 above nodes
    std::vector<std::uint16_t> kinds_;  // place of a node -> the kinds of all objects on it
    std::vector<int> lowest_;
};

/// Returns the piece (0, 1, ...) of the k-th of `members` ranks.
int piece_of(const HintItem& item, std::int64_t k, std::int64_t members) {
    if (item.most > 0) return static_cast<int>(k / item.most);
    const std::int64_t larger = members % item.pieces;  // pieces with one rank more, the first ones
    const std::int64_t size = members / item.pieces;
    const std::int64_t in_larger = larger * (size + 1);
    return static_cast<int>(k < in_larger ? k / (size + 1) : larger + (k - in_larger) / size);
}

/// Shares all ranks among the items of one custom level.
class Sharing {
public:
    Sharing(const HintLevel& level, const ContainingObjects& around)
        : level_(level), around_(around), shares_(static_cast<std::size_t>(around.ranks())) {}

    /// `wider`: the levels to the right of this one in the hint.
    std::vector<Share> share_out(std::span<const HintLevel> wider) {
        take_lists(wider);
        for (std::size_t i = 0; i < level_.items.size(); ++i) {
            if (level_.items[i].level) named_.push_back(static_cast<int>(i));
        }
        if (!named_.empty()) take_named();
        cut();
        return std::move(shares_);
    }

private:
    const HintItem& item(int index) const { return level_.items[static_cast<std::size_t>(index)]; }
    Share& share(int rank) { return shares_[static_cast<std::size_t>(rank)]; }

    void take_lists(std::span<const HintLevel> wider);
    void take_named();
    void take_named_among(std::span<const int> ranks);
    void cut();

    const HintLevel& level_;
    const ContainingObjects& around_;
    std::vector<int> named_;  // the items that name levels, from the left
    std::vector<Share> shares_;
};

void Sharing::take_lists(std::span<const HintLevel> wider) {
    if (std::all_of(level_.items.begin(), level_.items.end(), [](const HintItem& i) { return i.level; }))
        return;
    const int top = around_.lowest(0);
    std::vector<int> anchor(shares_.size(), top);
    for (const HintLevel& next : wider) {
        if (!next.plain()) continue;
        bool known = false;
        for (std::size_t rank = 0; rank < anchor.size(); ++rank) {
            const int object = around_.object(*next.items.front().level, static_cast<int>(rank));
            anchor[rank] = around_.lowest(object);
            known = known || anchor[rank] >= 0;
        }
        if (known) break;
        std::fill(anchor.begin(), anchor.end(), top);
    }
    for (std::size_t i = 0; i < level_.items.size(); ++i) {
        for (const auto& [first, last] : level_.items[i].ranks) {
            for (int rank = first; rank < around_.ranks() && rank <= last; ++rank) {
                if (share(rank).item >= 0) continue;
                share(rank) = {static_cast<int>(i), anchor[static_cast<std::size_t>(rank)], 0};
            }
        }
    }
}

void Sharing::take_named() {
    std::vector<int> ranks(shares_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const bool inside_nodes = std::all_of(named_.begin(), named_.end(), [&](int i) {
        return (bit_of(item(i).level->kind) & hardware_kinds) != 0;
    });
    if (!inside_nodes) return take_named_among(ranks);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](int a, int b) { return around_.node_of(a) < around_.node_of(b); });
    for (auto begin = ranks.begin(); begin != ranks.end();) {
        const int node = around_.node_of(*begin);
        const auto end =
            std::find_if(begin, ranks.end(), [&](int rank) { return around_.node_of(rank) != node; });
        take_named_among({begin, end});
        begin = end;
    }
}

/// `ranks` is ascending.
void Sharing::take_named_among(std::span<const int> ranks) {
    const auto take = [&](int index, auto begin, auto end, bool everything) {
        int cluster = -1;
        for (auto rank = begin; rank != end; ++rank) {
            if (share(*rank).item >= 0) continue;
            const int object = around_.object(*item(index).level, *rank);
            if (cluster < 0) cluster = object;
            if (object >= 0 && (everything || object == cluster))
                share(*rank) = {index, around_.lowest(object), 0};
        }
    };
    const auto repeated =
        std::find_if(named_.begin(), named_.end(), [&](int index) { return item(index).repeat; });
    const auto rest = repeated != named_.end() ? repeated : named_.end() - 1;
    for (auto at = named_.begin(); at != rest; ++at) take(*at, ranks.begin(), ranks.end(), false);
    for (auto at = named_.end() - 1; at != rest; --at) take(*at, ranks.rbegin(), ranks.rend(), false);
    take(*rest, ranks.begin(), ranks.end(), true);
}

/// Cuts each list, or the ranks that an item took of one object, into pieces in rank order.
void Sharing::cut() {
    PlaceTable sets;
    std::vector<std::int64_t> members;
    std::vector<int> set_of(shares_.size(), -1);
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
        const Share& share = shares_[rank];
        if (share.anchor < 0) continue;
        const HintItem& taker = item(share.item);
        int& set = sets.find_or_add(share.item, taker.level ? static_cast<std::uint64_t>(share.anchor) : 0);
        if (set < 0) {
            set = static_cast<int>(members.size());
            members.push_back(0);
        }
        ++members[static_cast<std::size_t>(set)];
        set_of[rank] = set;
    }
    std::vector<std::int64_t> seen(members.size(), 0);
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
        if (set_of[rank] < 0) continue;
        const auto set = static_cast<std::size_t>(set_of[rank]);
        shares_[rank].piece = piece_of(item(shares_[rank].item), seen[set]++, members[set]);
    }
}

/// Rebuilds the tree from the top down along every rank's branch.
class Rebuild {
public:
    Rebuild(const PlaceTree& plain, std::vector<std::vector<Share>> shares)
        : plain_(plain), shares_(std::move(shares)), pieces_(shares_.size(), 0) {}

    PlaceTree run() {
        result_.places.push_back(plain_.places[0]);
        smallest_.push_back(0);
        result_.of.reserve(plain_.of.size());
        std::vector<int> branch;
        for (std::size_t rank = 0; rank < plain_.of.size(); ++rank) {
            branch.clear();
            for (int at = plain_.of[rank]; at >= 0; at = plain_.at(at).parent) branch.push_back(at);
            int here = 0;
            for (auto at = branch.rbegin(); at != branch.rend(); ++at) {
                if (*at > 0) here = object_below(here, *at);
                for (std::size_t level = shares_.size(); level-- > 0;) {
                    const Share& share = shares_[level][rank];
                    if (share.anchor == *at) here = piece_below(here, level, share, plain_.of[rank]);
                }
            }
            result_.of.push_back(here);
        }
        for (std::size_t i = 0; i < result_.places.size(); ++i) {
            Place& place = result_.places[i];
            if (place.level.kind == LevelKind::custom) place.around = plain_.at(smallest_[i]).level;
        }
        return std::move(result_);
    }

private:
    int add(int parent, Place place, int smallest) {
        place.parent = parent;
        smallest_.push_back(smallest);
        return result_.add(place);
    }

    int object_below(int parent, int object) {
        int& place = table_.find_or_add(parent, static_cast<std::uint64_t>(object));
        if (place < 0) place = add(parent, plain_.at(object), object);
        return place;
    }

    int piece_below(int parent, std::size_t level, const Share& share, int narrowest) {
        const std::uint64_t key = (std::uint64_t{1} << 63) | static_cast<std::uint64_t>(level) << 55 |
                                  static_cast<std::uint64_t>(share.item) << 31 |
                                  static_cast<std::uint64_t>(share.piece);
        int& place = table_.find_or_add(parent, key);
        if (place < 0) {
            Place piece;
            piece.level = {LevelKind::custom, static_cast<std::uint8_t>(level)};
            piece.kinds = bit_of(LevelKind::custom);
            piece.object = pieces_[level]++;
            piece.may_split = true;
            place = add(parent, piece, narrowest);
        }
        int& smallest = smallest_[static_cast<std::size_t>(place)];
        for (int other = narrowest; smallest != other;) {
            int& inner = smallest > other ? smallest : other;  // parents precede their children
            inner = plain_.at(inner).parent;
        }
        return place;
    }

    const PlaceTree& plain_;
    std::vector<std::vector<Share>> shares_;  // by custom level, then by rank
    std::vector<std::uint64_t> pieces_;       // by custom level: number of pieces
    PlaceTable table_;
    PlaceTree result_;
    std::vector<int> smallest_;  // place of the result -> the smallest plain place that contains its ranks
};

}  // namespace

bool has_custom_levels(const HierarchyHint& hint) {
    return std::any_of(hint.levels.begin(), hint.levels.end(), [](const HintLevel& l) { return !l.plain(); });
}

PlaceTree with_custom_groups(const PlaceTree& plain, const HierarchyHint& hint) {
    const ContainingObjects around(plain);
    std::vector<std::vector<Share>> shares;
    for (std::size_t i = 0; i < hint.levels.size(); ++i) {
        if (hint.levels[i].plain()) continue;
        shares.push_back(Sharing(hint.levels[i], around).share_out(std::span(hint.levels).subspan(i + 1)));
    }
    return Rebuild(plain, std::move(shares)).run();
}

}  // namespace strata::topology
