// What collective_latency tells: a table for people, and JSON.

#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "collective_operations.h"
#include "job_files.h"
#include "latency_measurement.h"
#include "latency_options.h"

namespace bench {

// On rank 0. Without --contenders names are left out of the table.
class Output {
public:
    Output(const Options& options, int ranks) : options_(options), ranks_(ranks) {}
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // Opens the file, if one is wanted; false, with a message, if it cannot be.
    bool open();
    // {"contender": ..., "communicator": ...}
    void introduce(const std::string& contender, int communicator);
    // The head of what follows. `number`: of the cell.
    void begin(const Cell& cell, int number);
    // Of the cell, {"cell": ..., "operation": ..., "contender": ..., "skipped": why}.
    void skip(const std::string& contender, const std::string& why);
    // Of the cell: {"cell": ..., "contender": ..., "size": ..., "times": ...}.
    void add(const Contender& contender, std::uint64_t size, const Result& result);

private:
    void print_row(const std::string& contender, const Result& result) const;
    bool named() const { return !options_.contenders.empty(); }

    const Options& options_;
    int ranks_;
    std::FILE* json_ = nullptr;
    const Operation* operation_ = nullptr;
    std::string root_;
    int cell_ = 0;
};

}  // namespace bench
