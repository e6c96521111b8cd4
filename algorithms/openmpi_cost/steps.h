#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::algorithms {

/// Runs a message schedule over `model`, message by message in the order of time; returns the time at which
/// each rank is done, us. A message with a handshake leaves when its receive is posted, and its sender waits
/// until it has arrived. Ranks that wait for a message without a match end at infinity. Cost: O(messages *
/// (log ranks + depth)).
std::vector<double> run_schedule(FlatModel& model, const MessageSchedule& schedule);

/// Returns the time at which all ranks are done, us.
double schedule_us(FlatModel& model, const MessageSchedule& schedule);

/// Returns the largest of some times; 0 for none.
double latest(const std::vector<double>& times);

}  // namespace strata::algorithms
