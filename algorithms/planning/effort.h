#pragma once

namespace strata::algorithms {

/// How much of the choices a search predicts by the cost model.
enum class Effort {
    closed_form,  ///< formulas (closed_form.h) choose, the model predicts their winners under the given links
    full,         ///< the model predicts every candidate, under all link scenarios
};

}  // namespace strata::algorithms
