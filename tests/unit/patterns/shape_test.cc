#include "algorithms/patterns/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace shape_test {
namespace {

using strata::algorithms::Algorithm;
using strata::algorithms::Half;
using strata::algorithms::LevelMethod;
using strata::algorithms::shape_links;
using strata::algorithms::ShapeLinks;
using Children = std::vector<int>;

const std::vector<int> sizes = {1, 2, 3, 4, 7, 8, 11, 16};

struct Shape {
    LevelMethod method;
    std::function<int(int size)> depth;  ///< longest path from the root, at most
    Half half = Half::whole;
};

int digits(int number, int base) {
    int count = 0;
    for (; number > 0; number /= base) {
        ++count;
    }
    return count;
}

std::vector<Shape> shapes() {
    std::vector<Shape> all = {
        {{Algorithm::linear, 0, {}}, [](int size) { return std::min(1, size - 1); }},
        {{Algorithm::pipeline, 0, {}}, [](int size) { return size - 1; }},
        {{Algorithm::binary, 0, {}}, [](int size) { return digits(size, 2) - 1; }},
        {{Algorithm::binomial, 0, {}}, [](int size) { return digits(size - 1, 2); }},
        {{Algorithm::chain, 0, {}}, [](int size) { return size - 1; }},
        {{Algorithm::knomial, 0, {}}, [](int size) { return digits(size - 1, 2); }},
        {{Algorithm::in_order_binary, 0, {}}, [](int size) { return digits(size, 2) - 1; }},
        // The only tree for whole vectors.
        {{Algorithm::split_binary, 0, {}}, [](int size) { return digits(size, 2) - 1; }},
        {{Algorithm::double_binary, 0, {}}, [](int size) { return digits(size, 2) - 1; }},
        // Down the side in heap order, and to the partner; the second side may be the shorter one.
        {{Algorithm::split_binary, 0, {}},
         [](int size) { return std::min(size - 1, digits(size / 2, 2) + 1); },
         Half::first},
        {{Algorithm::split_binary, 0, {}},
         [](int size) { return std::min(size - 1, digits((size - 1) / 2, 2) + 1); },
         Half::second},
    };
    for (int radix = 1; radix <= 20; ++radix) {
        all.push_back(
            {{Algorithm::chain, radix, {}}, [radix](int size) { return (size - 1 + radix - 1) / radix; }});
    }
    for (int radix = 2; radix <= 20; ++radix) {
        all.push_back(
            {{Algorithm::knomial, radix, {}}, [radix](int size) { return digits(size - 1, radix); }});
    }
    return all;
}

/// Empty when the links of all positions form one tree rooted at 0 that is not deeper than `depth`.
std::string check_tree(const std::vector<ShapeLinks>& links, int depth) {
    const int size = static_cast<int>(links.size());
    std::vector<int> parent_by_child(links.size(), -1);
    for (int position = 0; position < size; ++position) {
        for (const int child : links[position].children) {
            if (child <= 0 || child >= size || parent_by_child[child] != -1) {
                return "bad or doubled child " + std::to_string(child);
            }
            parent_by_child[child] = position;
        }
    }
    for (int position = 0; position < size; ++position) {
        if (links[position].parent != parent_by_child[position]) {
            return "parent and child disagree at " + std::to_string(position);
        }
        int steps = 0;
        for (int walk = position; walk != 0; walk = links[walk].parent) {
            if (walk < 0 || ++steps > size) {
                return "no way from the root to " + std::to_string(position);
            }
        }
        if (steps > depth) {
            return "depth " + std::to_string(steps) + " above " + std::to_string(depth);
        }
    }
    return {};
}

std::vector<ShapeLinks> all_links(const LevelMethod& method, int size, Half half = Half::whole) {
    std::vector<ShapeLinks> links;
    for (int position = 0; position < size; ++position) {
        links.push_back(shape_links(method, position, size, half));
    }
    return links;
}

/// Children by position, for the drawn shapes.
std::vector<Children> drawing(const LevelMethod& method, int size, Half half = Half::whole) {
    std::vector<Children> children;
    for (const ShapeLinks& links : all_links(method, size, half)) children.push_back(links.children);
    return children;
}

TEST(Shape, EveryShapeIsATreeOfItsDepth) {
    for (const Shape& shape : shapes()) {
        for (const int size : sizes) {
            EXPECT_EQ(check_tree(all_links(shape.method, size, shape.half), shape.depth(size)), "")
                << name_of(shape.method) << " half " << static_cast<int>(shape.half) << " size " << size;
        }
    }
}

TEST(Shape, LargeSizes) {
    for (const Shape& shape : shapes()) {
        for (const int size : {100, 257, 1024}) {
            EXPECT_EQ(check_tree(all_links(shape.method, size, shape.half), shape.depth(size)), "") << size;
        }
    }
}

TEST(Shape, TheTreeCheckFindsFaults) {
    const LevelMethod binomial{Algorithm::binomial, 0, {}};
    std::vector<ShapeLinks> doubled = all_links(binomial, 8);
    doubled[3].children.push_back(7);
    EXPECT_NE(check_tree(doubled, 3), "");
    std::vector<ShapeLinks> wrong_parent = all_links(binomial, 8);
    wrong_parent[7].parent = 5;
    EXPECT_NE(check_tree(wrong_parent, 3), "");
    std::vector<ShapeLinks> cycle = all_links({Algorithm::pipeline, 0, {}}, 4);
    cycle[0].children = {};
    cycle[1].parent = 3;
    cycle[3].children = {1};
    EXPECT_NE(check_tree(cycle, 3), "");
    EXPECT_NE(check_tree(all_links({Algorithm::pipeline, 0, {}}, 8), 6), "");
}

TEST(Shape, DocumentedBinomial) {
    const LevelMethod method{Algorithm::binomial, 0, {}};
    EXPECT_EQ(shape_links(method, 0, 8).children, (Children{4, 2, 1}));
    EXPECT_EQ(shape_links(method, 4, 8).children, (Children{6, 5}));
    EXPECT_EQ(shape_links(method, 2, 8).children, (Children{3}));
    EXPECT_EQ(shape_links(method, 6, 8).children, (Children{7}));
    EXPECT_EQ(shape_links(method, 0, 7).children, (Children{4, 2, 1}));
    EXPECT_EQ(shape_links(method, 4, 7).children, (Children{6, 5}));
    EXPECT_EQ(shape_links(method, 2, 7).children, (Children{3}));
    EXPECT_EQ(shape_links(method, 6, 7).children, (Children{}));
}

TEST(Shape, DocumentedChain) {
    const LevelMethod method{Algorithm::chain, 2, {}};
    EXPECT_EQ(shape_links(method, 0, 6).children, (Children{1, 3}));
    EXPECT_EQ(shape_links(method, 1, 6).children, (Children{2}));
    EXPECT_EQ(shape_links(method, 2, 6).children, (Children{}));
    EXPECT_EQ(shape_links(method, 3, 6).children, (Children{4}));
    EXPECT_EQ(shape_links(method, 4, 6).children, (Children{5}));
}

TEST(Shape, ChainLengthsDifferByOneAtMost) {
    for (const int size : sizes) {
        for (int radix = 1; radix < size; ++radix) {
            const std::vector<ShapeLinks> links = all_links({Algorithm::chain, radix, {}}, size);
            EXPECT_EQ(static_cast<int>(links[0].children.size()), radix);
            int shortest = size;
            int longest = 0;
            for (int walk : links[0].children) {
                int length = 1;
                for (; !links[walk].children.empty(); walk = links[walk].children.front()) {
                    ++length;
                }
                shortest = std::min(shortest, length);
                longest = std::max(longest, length);
            }
            EXPECT_LE(longest - shortest, 1) << "radix " << radix << " size " << size;
        }
    }
}

TEST(Shape, OtherExamples) {
    EXPECT_EQ(shape_links({Algorithm::linear, 0, {}}, 0, 4).children, (Children{1, 2, 3}));
    EXPECT_EQ(shape_links({Algorithm::binary, 0, {}}, 1, 7).children, (Children{3, 4}));
    EXPECT_EQ(shape_links({Algorithm::knomial, 3, {}}, 0, 11).children, (Children{3, 6, 9, 1, 2}));
    EXPECT_EQ(shape_links({Algorithm::knomial, 3, {}}, 3, 11).children, (Children{4, 5}));
    EXPECT_EQ(shape_links({Algorithm::knomial, 3, {}}, 9, 11).children, (Children{10}));
}

/// Empty when the positions below each one are a run with itself in front.
std::string check_runs(const std::vector<ShapeLinks>& links) {
    const int size = static_cast<int>(links.size());
    std::vector<int> last(links.size()), below(links.size(), 1);
    for (int position = 0; position < size; ++position) last[position] = position;
    for (int position = size - 1; position > 0; --position) {
        const int parent = links[position].parent;
        if (parent > position) return std::to_string(position) + " stands before its parent";
        below[parent] += below[position];
        last[parent] = std::max(last[parent], last[position]);
    }
    for (int position = 0; position < size; ++position) {
        if (last[position] - position + 1 != below[position])
            return "a gap below " + std::to_string(position);
    }
    return {};
}

TEST(Shape, DocumentedInOrderBinary) {
    EXPECT_EQ(drawing({Algorithm::in_order_binary, 0, {}}, 7),
              (std::vector<Children>{{1, 4}, {2, 3}, {}, {}, {5, 6}, {}, {}}));
    EXPECT_EQ(drawing({Algorithm::in_order_binary, 0, {}}, 8),
              (std::vector<Children>{{1, 5}, {2, 4}, {3}, {}, {}, {6, 7}, {}, {}}));
}

TEST(Shape, InOrderSubtreesAreRuns) {
    for (int size = 1; size <= 130; ++size) {
        const std::vector<ShapeLinks> links = all_links({Algorithm::in_order_binary, 0, {}}, size);
        EXPECT_EQ(check_runs(links), "") << size;
        for (const ShapeLinks& own : links) {
            EXPECT_LE(own.children.size(), 2U);
            EXPECT_TRUE(std::is_sorted(own.children.begin(), own.children.end()));
        }
    }
    EXPECT_NE(check_runs(all_links({Algorithm::binary, 0, {}}, 7)), "");
}

TEST(Shape, DocumentedSplitBinary) {
    const LevelMethod method{Algorithm::split_binary, 0, {}};
    EXPECT_EQ(drawing(method, 6, Half::first), (std::vector<Children>{{1}, {3, 5, 2}, {}, {4}, {}, {}}));
    EXPECT_EQ(drawing(method, 6, Half::second), (std::vector<Children>{{2, 5}, {}, {4, 1}, {}, {3}, {}}));
    EXPECT_EQ(drawing(method, 7, Half::second),
              (std::vector<Children>{{2}, {}, {4, 6, 1}, {}, {3}, {}, {5}}));
    EXPECT_EQ(drawing(method, 2, Half::first), (std::vector<Children>{{1}, {}}));
    EXPECT_EQ(drawing(method, 2, Half::second), (std::vector<Children>{{1}, {}}));
    EXPECT_EQ(drawing(method, 7), drawing({Algorithm::binary, 0, {}}, 7)) << "whole vectors";
    EXPECT_EQ(drawing({Algorithm::double_binary, 0, {}}, 7), drawing({Algorithm::binary, 0, {}}, 7));
}

/// Returns "" when no position but the root forwards in both trees, and partners exchange the half from
/// their own side.
std::string check_partners(const std::vector<ShapeLinks>& first, const std::vector<ShapeLinks>& second) {
    const int size = static_cast<int>(first.size());
    for (int position = 1; position < size; ++position) {
        const bool in_first = position % 2 == 1;  // assigned cyclically
        const int partner = in_first ? position + 1 : position - 1;
        const ShapeLinks& own = in_first ? first[position] : second[position];
        const ShapeLinks& other = in_first ? second[position] : first[position];
        if (!other.children.empty()) return std::to_string(position) + " passes on in both trees";
        if (other.parent != (partner < size ? partner : 0)) {
            return std::to_string(position) + " has the other half from " + std::to_string(other.parent);
        }
        if (own.parent != 0 && own.parent % 2 != position % 2) {
            return std::to_string(position) + " has its own half from the other side";
        }
        if (own.children.size() > (partner < size ? 3U : 2U)) return "too many children";
    }
    return {};
}

TEST(Shape, SplitBinaryPartnersExchangeTheirHalves) {
    const LevelMethod method{Algorithm::split_binary, 0, {}};
    for (int size = 1; size <= 130; ++size) {
        const std::vector<ShapeLinks> first = all_links(method, size, Half::first);
        const std::vector<ShapeLinks> second = all_links(method, size, Half::second);
        EXPECT_EQ(check_partners(first, second), "") << size;
        EXPECT_LE(first[0].children.size() + second[0].children.size(), 3U) << size;
        if (size < 4) continue;
        EXPECT_NE(check_partners(second, first), "") << size;
        EXPECT_NE(check_partners(first, first), "") << size;
        EXPECT_NE(check_partners(all_links(method, size), second), "") << size;
    }
}

TEST(Shape, ServesTheLargestSubtreeFirst) {
    for (const Shape& shape : shapes()) {
        if (shape.method.algorithm != Algorithm::binomial && shape.method.algorithm != Algorithm::knomial) {
            continue;
        }
        for (const int size : sizes) {
            const std::vector<ShapeLinks> links = all_links(shape.method, size);
            std::vector<int> below(links.size(), 1);
            for (int position = size - 1; position > 0; --position) {
                below[links[position].parent] += below[position];
            }
            for (const ShapeLinks& own : links) {
                EXPECT_TRUE(std::is_sorted(own.children.begin(), own.children.end(),
                                           [&](int a, int b) { return below[a] > below[b]; }));
            }
        }
    }
}

TEST(Shape, RefusesWhatIsNoTree) {
    for (const Algorithm algorithm :
         {Algorithm::automatic, Algorithm::scatter_allgather, Algorithm::scatter_allgather_ring,
          Algorithm::recursive_doubling, Algorithm::component}) {
        EXPECT_THROW(shape_links({algorithm, 0, {}}, 0, 4), std::invalid_argument);
    }
    for (const Half half : {Half::first, Half::second}) {
        EXPECT_THROW(shape_links({Algorithm::double_binary, 0, {}}, 0, 4, half), std::invalid_argument)
            << "it grows over ranks, not positions";
    }
    EXPECT_THROW(shape_links({Algorithm::chain, -1, {}}, 0, 4), std::invalid_argument);
    EXPECT_THROW(shape_links({Algorithm::knomial, 1, {}}, 0, 4), std::invalid_argument);
    EXPECT_THROW(shape_links({Algorithm::linear, 0, {}}, 4, 4), std::invalid_argument);
    EXPECT_THROW(shape_links({Algorithm::linear, 0, {}}, -1, 4), std::invalid_argument);
    EXPECT_THROW(shape_links({Algorithm::linear, 0, {}}, 0, 0), std::invalid_argument);
}

TEST(Shape, TheTableOfAlgorithmsAgrees) {
    const std::vector<Shape> tested = shapes();
    for (const auto& entry : strata::algorithms::all_algorithms()) {
        if (entry.tree_shape) {
            EXPECT_TRUE(std::any_of(tested.begin(), tested.end(),
                                    [&](const Shape& shape) { return shape.method.algorithm == entry.id; }))
                << entry.name << " is missing in shapes()";
            EXPECT_NO_THROW(shape_links({entry.id, 0, {}}, 0, 4)) << entry.name;
        } else {
            EXPECT_THROW(shape_links({entry.id, 0, {}}, 0, 4), std::invalid_argument) << entry.name;
        }
    }
}

}  // namespace
}  // namespace shape_test
