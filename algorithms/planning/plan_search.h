#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// The model's own error: predictions closer than this are a tie.
inline constexpr double needed_gain = 0.05;

/// True for methods that a level can only leave to somebody else: components, and patterns that the tree
/// engine has not.
bool delegates(const LevelMethod& method, const CollectiveTraits& traits);

/// Whether the levels left open may become rings.
enum class Rings { none, allowed, wanted };

/// Which exchanges on the topmost level are tried: all beside trees, all but those of parts (halves of a
/// vector, blocks), or, where they may be, those only.
enum class Exchanges { all, whole_vectors, parts };

/// Searches the choices that one operation and the user's rules leave open, for one hierarchy, root and size.
class PlanSearch {
public:
    /// `model` predicts `operation` and outlives the search.
    PlanSearch(CostModel& model, const Overrides& overrides, const Operation& operation, Rings rings);

    /// True when the levels engine is asked for: by name, or by a rule that gives a level to somebody else.
    bool by_levels() const { return by_levels_; }
    /// The first method that a rule wants for a level which cannot have it; nullptr: none.
    const LevelMethod* ignored_values() const { return passed_over_ ? &*passed_over_ : nullptr; }
    /// True when a ring is worth a thought on some level that is left open.
    bool could_be_ring() const;
    const std::vector<LevelPlan>& plans() const { return plans_; }
    /// By level.
    std::vector<LevelSources> sources() const;

    /// True when the topmost level is open, and a chain of its participants would be full most of the time.
    bool could_be_long_chain() const;
    /// True when the topmost level is open, and there is enough for two trees of its participants.
    bool could_go_in_halves() const;

    /// True when an exchange of parts is worth a thought on the topmost level.
    bool could_exchange_parts() const { return exchange_is_open(by_parts()); }
    /// True when the plan found has one.
    bool exchanges_parts() const { return plans_.front().method.algorithm == by_parts(); }
    /// To be called before run().
    void allow(Exchanges exchanges) { exchanges_ = exchanges; }

    /// Chooses everything open; returns the predicted time, us. `one_segment`: of one size on all levels, the
    /// topmost one's where a rule fixed that.
    double run(bool one_segment);

private:
    // Below 4 KiB the cost per message dominates nearly everywhere, above 1 MiB a pipeline has nothing left
    // to overlap.
    static constexpr std::size_t smallest_segment = 4096;
    static constexpr std::size_t largest_segment = 1048576;

    /// One level of a plan in the making: what a rule fixed stays.
    struct Level {
        bool method_open = true;
        bool segment_open = true;
        LevelSources sources;
        std::vector<LevelMethod> shapes;  ///< candidates for an open method
    };

    bool wants_levels(const Overrides& overrides) const;
    bool can_have(std::size_t l, const LevelMethod& method) const;
    void open_level(std::size_t l, const Overrides& overrides);
    std::vector<LevelMethod> shapes_for(std::size_t l) const;
    bool may_be_ring(std::size_t l) const;
    bool must_be_ring(std::size_t l) const;
    bool worth_a_ring(std::size_t l) const;
    bool order_is_fixed() const { return operation_.reproducible && traits_.combines; }
    void fix_segments(std::size_t bytes, Source source);
    void open_segments();
    void set_one_segment();
    bool may_exchange(Algorithm algorithm) const;
    void set_exchange(Algorithm algorithm);
    bool exchange_is_open(Algorithm algorithm) const;
    Algorithm by_parts() const {
        return traits_.blocks ? Algorithm::recursive_doubling : Algorithm::rabenseifner;
    }
    bool worth_parts() const;
    void choose(bool one_segment);
    std::size_t least_segment() const;
    std::vector<std::size_t> segment_candidates() const;
    std::size_t network_eager(std::size_t level) const;
    bool too_long(std::size_t segment) const;
    bool improves();
    void choose_shapes();
    void choose_common_segment();
    void refine_segments();
    template <typename Candidate>
    const Candidate& preferred(const std::vector<Candidate>& candidates, std::size_t below) const;

    CostModel* model_;
    Operation operation_;
    CollectiveTraits traits_;
    std::size_t bytes_;
    Window window_;
    Rings rings_;
    Exchanges exchanges_ = Exchanges::all;
    bool may_exchange_;
    bool by_levels_;
    bool by_rails_;  ///< there are to be several trees
    std::optional<LevelMethod> passed_over_;
    std::vector<Level> levels_;
    std::vector<LevelPlan> plans_;
    double best_us_ = -1;
};

}  // namespace strata::algorithms
