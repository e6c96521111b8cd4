#pragma once
// Every message that a user may see. Texts: help-mca-coll-strata.txt, beside the plugin.
#include <exception>
#include <string>
#include <vector>

#include "component/base/cancellation.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// What this process cannot say it leaves: the others go on, and so must this one.
template <typename Report>
void try_to(Report&& report) noexcept {
    const HoldCancellation hold;
    try {
        report();
    } catch (const std::exception& error) {
        opal_output(0, "coll:strata: a message could not be shown: %s", error.what());
    }
}

/// Makes the help texts findable.
void find_help_texts();

void show_bad_parameters(const std::vector<std::string>& errors);
void show_bad_info_keys(const std::string& communicator, const std::vector<std::string>& errors);
void show_other_info_keys(const std::string& communicator, int rank, const std::string& node,
                          const std::string& said, const std::string& said_by_first);
void show_other_release(const std::string& node, const std::string& built_for, const std::string& running,
                        const std::string& why);
void show_missing(const std::string& node, bool switched_off);
/// `differences`: of name_differences().
void show_other_version(const std::string& node, const std::string& reference,
                        const std::string& differences);
void show_other_settings(const std::string& node, const std::string& reference,
                         const std::string& differences);
void show_unable(const std::string& node, const std::string& communicator, const std::string& why);
void show_other_plans(const std::string& node, const std::string& reference, const std::string& communicator);
/// `ranks`: those that have another plan than rank 0, of which `rank` is one.
void show_different_plans(const std::string& communicator, const std::string& ranks, int rank,
                          const std::string& plan, const std::string& first_node,
                          const std::string& first_plan);
void show_unusable_methods(const std::string& communicator, const std::string& what);
void show_nics_without_effect(const std::string& nodes);
/// `some`: of the job's nodes; `names`: hosts of the network. `any`: it names others of the job.
void show_unnamed_nodes(const std::string& some, const std::string& names, bool any);
void show_contradiction(const std::string& node, const std::string& other);
void show_node_contradiction(const std::string& node);
void show_dump_failed(const std::string& path, const std::string& why);

}  // namespace strata::component
