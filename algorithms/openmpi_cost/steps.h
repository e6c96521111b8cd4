#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::algorithms {

/// Runs a program over `model`, message by message in the order of time; returns when every rank is done, us.
/// A message that needs a handshake leaves when its receiver has asked for it, and its sender waits until it
/// has arrived. Cost: O(messages * (log ranks + depth)). A program whose messages do not match ends with
/// infinity for the ranks that wait in vain.
std::vector<double> run_program(FlatModel& model, const MessageSchedule& program);

/// When all ranks are done, us.
double program_us(FlatModel& model, const MessageSchedule& program);

/// The largest of some times; 0 for none.
double latest(const std::vector<double>& times);

}  // namespace strata::algorithms
