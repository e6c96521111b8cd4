#include "component/openmpi/messages.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "component/base/plugin_folder.h"

namespace strata::component {
namespace {
constexpr const char* texts = "help-mca-coll-strata.txt";

/// Writes to standard error directly: Open MPI's path through the launcher sometimes loses messages (4.1.4:
/// the daemon reads them after their buffer is freed). Callers ensure that only one process calls this.
template <class... Arguments>
void show(const char* topic, Arguments... arguments) {
    static std::mutex mutex;  // Open MPI's help parser has global state
    const std::lock_guard<std::mutex> lock(mutex);
    if (char* text = opal_show_help_string(texts, topic, true, arguments...); text != nullptr) {
        std::fputs(text, stderr);
        std::fflush(stderr);
        std::free(text);
    }
}

}  // namespace

void find_help_texts() { opal_show_help_add_dir(plugin_folder().c_str()); }

static std::string lines_of(const std::vector<std::string>& errors) {
    std::string list;
    for (const auto& error : errors) {
        list += "  " + error + "\n";
    }
    return list;
}

void show_bad_parameters(const std::vector<std::string>& errors) {
    show("bad-parameters", lines_of(errors).c_str());
}

void show_bad_info_keys(const std::string& communicator, const std::vector<std::string>& errors) {
    show("bad-info-keys", communicator.c_str(), lines_of(errors).c_str());
}

void show_other_info_keys(const std::string& communicator, int rank, const std::string& node,
                          const std::string& keys, const std::string& keys_of_first) {
    show("other-info-keys", communicator.c_str(), rank, node.c_str(), keys.c_str(), keys_of_first.c_str());
}

void show_other_release(const std::string& node, const std::string& built_for, const std::string& running,
                        const std::string& why) {
    show("other-release", node.c_str(), built_for.c_str(), running.c_str(), why.c_str());
}

void show_missing(const std::string& node, bool switched_off) {
    show(switched_off ? "switched-off" : "missing", node.c_str());
}

void show_other_version(const std::string& node, const std::string& reference,
                        const std::string& differences) {
    show(
        "other-version", node.c_str(), reference.c_str(),
        differences.empty() ? "  (one of the two processes has not published which)\n" : differences.c_str());
}

void show_other_settings(const std::string& node, const std::string& reference,
                         const std::string& differences) {
    constexpr const char* unknown =
        "  (compare OMPI_MCA_coll_strata_* in the environment, mca-params.conf, the\n"
        "  network file, the rules file and the eager limits of the transports)\n";
    show("other-settings", node.c_str(), reference.c_str(),
         differences.empty() ? unknown : differences.c_str());
}

void show_unable(const std::string& node, const std::string& communicator, const std::string& why) {
    show("unable", node.c_str(), communicator.c_str(), why.c_str());
}

void show_other_plans(const std::string& node, const std::string& reference,
                      const std::string& communicator) {
    show("other-plans", node.c_str(), reference.c_str(), communicator.c_str());
}

void show_different_plans(const std::string& communicator, const std::string& ranks, int rank,
                          const std::string& plan, const std::string& first_node,
                          const std::string& first_plan) {
    show("different-plans", communicator.c_str(), ranks.c_str(), rank, plan.c_str(), first_node.c_str(),
         first_plan.c_str());
}

void show_unusable_methods(const std::string& communicator, const std::string& what) {
    static std::atomic<bool> shown{false};
    if (shown.exchange(true)) {
        return;  // later communicators would repeat the message
    }
    show("unusable-methods", communicator.c_str(), what.c_str());
}

void show_nics_without_effect(const std::string& nodes, const std::string& why) {
    show("nics-without-effect", nodes.c_str(), why.c_str());
}

void show_unnamed_nodes(const std::string& some, const std::string& names, bool any) {
    show("unnamed-nodes", any ? "some nodes" : "any node", some.c_str(), names.c_str());
}

void show_contradiction(const std::string& node, const std::string& other) {
    show("contradiction", node.c_str(), other.c_str());
}

void show_node_contradiction(const std::string& node) { show("node-contradiction", node.c_str()); }

void show_dump_failed(const std::string& path, const std::string& why) {
    show("dump-failed", path.c_str(), why.c_str());
}

}  // namespace strata::component
