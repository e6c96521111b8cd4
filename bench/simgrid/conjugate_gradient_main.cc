// Simulates the conjugate gradient kernel without and with reordered ranks.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "command_line.h"
#include "conjugate_gradient.h"

int main(int argc, char** argv) {
    using namespace strata::simulation;
    ConjugateGradientStudy study;
    std::string letter = "S";
    std::string shift;
    std::string output;
    bool reorder = false;
    CLI::App app{"Simulates the program conjugate_gradient (introspection/examples) with its compute time.",
                 "strata_simulate_cg"};
    app.footer("Exit status: 0; 1 if the result is wrong; 2 for bad input.");
    app.add_option("MACHINE", study.machine_file, "Description of a machine (bench/simgrid/machines/)")
        ->required();
    app.add_option("--class", letter, "Class of the kernel")
        ->check(CLI::IsMember({"S", "W", "A", "B", "C", "D"}))
        ->capture_default_str();
    app.add_flag("--reorder", reorder, "Reorder the ranks after the untimed iteration");
    app.add_option("--shift", shift, "Replaces the class's shift, which makes the result wrong");
    app.add_option("--element-ns", study.element_ns, "Time of a matrix element in a product")
        ->capture_default_str();
    app.add_option("--plan-us", study.plan_us, "Time in which rank 0 computes the new order")
        ->capture_default_str();
    app.add_option("--nodes", study.job.nodes, "Number of nodes to use");
    app.add_option("--hosts", study.job.hosts, "Names of the nodes to use");
    app.add_option("--ppn", study.job.ppn, "Ranks per node (one per core)");
    app.add_option("--order", study.job.order, "block, cyclic, shuffle:SEED (block)");
    app.add_option("--output", output, "Write the program's output there");
    return run(app, argc, argv, [&] {
        study.arguments = {"--class", letter};
        if (reorder) study.arguments.emplace_back("--reorder");
        if (!shift.empty()) study.arguments.insert(study.arguments.end(), {"--shift", shift});
        if (!output.empty() && std::freopen(output.c_str(), "w", stdout) == nullptr)
            throw std::runtime_error("--output: cannot write " + output);
        return simulate_conjugate_gradient(study);
    });
}
