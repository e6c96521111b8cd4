#pragma once

namespace strata::algorithms {

/// Who chooses among candidates.
enum class Effort {
    closed_form,  ///< formulas (closed_form.h); the model compares their winners under the given links, and
                  ///< chooses the shapes of a reduction
    full,         ///< the model; its winners compete under all link scenarios (robust_choice.h)
};

}  // namespace strata::algorithms
