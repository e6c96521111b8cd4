// What collective_latency tells: a table for people, and JSON.

#pragma once

#include <cstdint>
#include <cstdio>

#include "collective_operations.h"
#include "latency_measurement.h"
#include "latency_options.h"

namespace bench {

void print_head(const Operation& operation, int ranks, const Options& options);
void print_row(const Result& result);
void write_json(std::FILE* file, const Operation& operation, std::uint64_t size, int ranks,
                const Options& options, const Result& result);

}  // namespace bench
