// Output of collective_latency: a table and JSON.

#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "collective_operations.h"
#include "job_files.h"
#include "latency_measurement.h"
#include "latency_options.h"

namespace bench {

// Writes on rank 0. Without --contenders the table has no names.
class Output {
public:
    Output(const Options& options, int ranks) : options_(options), ranks_(ranks) {}
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // Opens the JSON file if one is wanted; prints a message and returns false if it cannot.
    bool open();
    // Writes {"contender": ..., "communicator": ...}.
    void introduce(const std::string& contender, int communicator);
    // Prints the head of the rows of a cell. `number` is that of the cell.
    void begin(const Cell& cell, int number);
    // Writes {"cell": ..., "operation": ..., "contender": ..., "skipped": why} for the cell.
    void skip(const std::string& contender, const std::string& why);
    // Writes {"cell": ..., "contender": ..., "size": ..., "times": ...} for the cell.
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
