#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/closed_form.h"
#include "algorithms/planning/effort.h"

namespace strata::algorithms {

/// The model's own error: predictions closer than this are a tie.
inline constexpr double needed_gain = 0.05;

/// Returns true for methods that need the levels engine: components, and patterns that the tree engine lacks.
bool delegates(const LevelMethod& method, const CollectiveTraits& traits);

/// Whether open levels may become rings.
enum class Rings { none, allowed, wanted };

/// The exchanges to try on the topmost level beside trees: all; whole vectors only; or parts only
/// (reduce-scatter + allgather, blocks), if these are possible.
enum class Exchanges { all, whole_vectors, parts };

/// Searches the choices that an operation and the user's rules leave open, for one hierarchy, root and size.
class PlanSearch {
public:
    /// `model` predicts `operation` and must outlive the search.
    PlanSearch(CostModel& model, const Overrides& overrides, const Operation& operation, Rings rings,
               Effort effort = Effort::full);

    /// Returns true if the levels engine is requested: by name, or by a method that needs it.
    bool by_levels() const { return by_levels_; }
    /// Returns the first method of a rule that its level cannot have; nullptr: none.
    const LevelMethod* ignored_method() const { return ignored_method_ ? &*ignored_method_ : nullptr; }
    /// Returns true if some open level is worth a ring.
    bool could_be_ring() const;
    const std::vector<LevelPlan>& plans() const { return plans_; }
    /// Returns the sources of methods and segments, by level.
    std::vector<LevelSources> sources() const;

    /// Returns true if the topmost level is open and long enough data keep a chain of its participants full.
    bool could_be_long_chain() const;
    /// Returns true if the topmost level is open and the data suffice for a double tree of its participants.
    bool could_be_double_tree() const;

    /// Returns true if an exchange of parts is worth trying on the topmost level.
    bool could_exchange_parts() const { return exchange_is_open(by_parts()); }
    /// Returns true if the plan found has such an exchange.
    bool exchanges_parts() const { return plans_.front().method.algorithm == by_parts(); }
    /// Call it before run().
    void allow(Exchanges exchanges) { exchanges_ = exchanges; }

    /// Chooses everything open and returns the predicted time, us. `one_segment`: one segment size on all
    /// levels, the topmost one's if a rule fixed that.
    double run(bool one_segment);
    /// Lets the model choose the shapes, level by level, of a plan that formulas have chosen, and returns its
    /// predicted time, us.
    double refine_shapes();

private:
    // Below 4 KiB the cost per message dominates nearly everywhere, above 1 MiB a pipeline has nothing left
    // to overlap.
    static constexpr std::size_t smallest_segment = 4096;
    static constexpr std::size_t largest_segment = 1048576;

    /// One level of the plan; values of rules stay fixed.
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
    double us_of_plans(double enough);
    bool improves();
    void choose_shapes();
    void choose_shapes_from_chains();
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
    std::optional<ClosedForm> closed_form_;  ///< empty: the model chooses
    Exchanges exchanges_ = Exchanges::all;
    bool may_exchange_;
    bool by_levels_;
    bool by_rails_;  ///< the plan has several trees
    std::optional<LevelMethod> ignored_method_;
    std::vector<Level> levels_;
    std::vector<LevelPlan> plans_;
    double best_us_ = -1;
};

}  // namespace strata::algorithms
