#include "job_options.h"

#include "command_line.h"
#include "topology/hierarchy_hint.h"

namespace strata::tool {

void add_job_options(CLI::App& app, JobOptions& options) {
    const auto option = [&](const char* name, auto& value, const char* kind, const char* help,
                            const std::string& words = {}) {
        const auto remember = [&options, name](const std::string&) { options.given.emplace_back(name + 2); };
        return OptionMaker{app}(name, value, kind, help, words)->each(remember);
    };
    option("--topology", options.topologies, "MACHINE",
           "Hardware of a node: an XML file of hwloc (lstopo writes them), or\n"
           "synthetic:DESCRIPTION; once for all nodes, or repeated, once per\n"
           "node (default: this machine)")
        ->allow_extra_args(false);
    option("--nodes", options.nodes, "N", "Number of nodes (1, or as many as --hosts or --topology name)");
    option("--hosts", options.hosts, "LIST", "Names of the nodes: n[0-3,07],gpu5 (n0, n1, ...)");
    option("--ppn", options.ppn, "K[,K...]",
           "Ranks per node: one number, or one per node (one rank per core)");
    option("--placement", options.placement, "HOW",
           "Where the ranks of a node run: core (one core after the other),\n"
           "scatter (in turn over the widest objects, and so on inside), none\n"
           "(unbound), or lists of cores separated by ';', one per local rank,\n"
           "repeated when shorter: '0-3;4;5;all' (core)",
           "core, scatter, none");
    option("--order", options.order, "HOW",
           "How ranks are assigned to nodes: block (node after node) or cyclic\n"
           "(in turn) (block)",
           "block, cyclic");
    option("--network", options.network, "NETWORK",
           "Switches above the nodes: a file in the syntax of Slurm's\n"
           "topology.conf, or 'hosts:n[0-1]=top.site0;n[2-3]=top.site1' (none)");
    option("--nic", options.nic, "LIST",
           "NICs near which leaders are chosen: names or PCI ids,\n"
           "each optionally with its place: mlx5_0,ib0@numa:1; or auto, none (auto)",
           "auto, none");
    option("--hierarchy", options.hierarchy, "LEVELS",
           "Levels to use, in the syntax of coll_strata_hierarchy:\n"
           "numa,node,switch (empty: all levels)",
           topology::known_hint_levels() + ", none");
}

std::string given_job_option(const JobOptions& options) {
    return options.given.empty() ? std::string() : options.given.front();
}

}  // namespace strata::tool
