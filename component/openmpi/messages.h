#pragma once
// Every message to users. Texts: help-mca-coll-strata.txt, beside the plugin.
#include <exception>
#include <string>
#include <vector>

#include "component/base/cancellation.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Runs `report` and swallows its errors: the other ranks go on, so this one must, too.
template <typename Report>
void try_to(Report&& report) noexcept {
    const HoldCancellation hold;
    try {
        report();
    } catch (const std::exception& error) {
        opal_output(0, "coll:strata: a message could not be shown: %s", error.what());
    }
}

/// Adds the plugin's folder to Open MPI's help search path.
void find_help_texts();

void show_bad_parameters(const std::vector<std::string>& errors);
void show_bad_info_keys(const std::string& communicator, const std::vector<std::string>& errors);
void show_other_info_keys(const std::string& communicator, int rank, const std::string& node,
                          const std::string& keys, const std::string& keys_of_first);
void show_other_release(const std::string& node, const std::string& built_for, const std::string& running,
                        const std::string& why);
void show_missing(const std::string& node, bool switched_off);
/// `differences`: from list_differences().
void show_other_version(const std::string& node, const std::string& reference,
                        const std::string& differences);
void show_other_settings(const std::string& node, const std::string& reference,
                         const std::string& differences);
void show_unable(const std::string& node, const std::string& communicator, const std::string& why);
void show_other_plans(const std::string& node, const std::string& reference, const std::string& communicator);
/// `ranks`: the list of ranks whose plan differs from rank 0's; `rank`: one of these.
void show_different_plans(const std::string& communicator, const std::string& ranks, int rank,
                          const std::string& plan, const std::string& first_node,
                          const std::string& first_plan);
void show_unusable_methods(const std::string& communicator, const std::string& what);
void show_nics_without_effect(const std::string& nodes, const std::string& why);
/// `some`: nodes of the job that the network lacks; `names`: hosts of the network; `any`: the network names
/// other nodes of the job.
void show_unnamed_nodes(const std::string& some, const std::string& names, bool any);
void show_contradiction(const std::string& node, const std::string& other);
void show_node_contradiction(const std::string& node);
void show_dump_failed(const std::string& path, const std::string& why);

}  // namespace strata::component
