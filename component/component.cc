// The component: Open MPI opens it once per process and queries it once per communicator.
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "algorithms/planning/probe_plans.h"
#include "component/base/clock.h"
#include "component/agreement/agreement.h"
#include "component/agreement/disagreement.h"
#include "component/agreement/locality.h"
#include "component/base/cancellation.h"
#include "component/base/process_wide.h"
#include "component/module/communicator_variables.h"
#include "component/module/module.h"
#include "component/openmpi/last_resort.h"
#include "component/openmpi/layout_guard.h"
#include "component/openmpi/messages.h"
#include "component/openmpi/wait_sync.h"
#include "component/openmpi/variables.h"
#include "component/report/communicator_counters.h"
#include "component/report/dump.h"
#include "component/report/stall_report.h"
#include "sources_identity.h"
#include "topology/default_arithmetic.h"

extern "C" __attribute__((visibility("default"))) mca_coll_base_component_t mca_coll_strata_component;

namespace strata::component {
namespace {

#ifndef STRATA_OTHER_SOURCES
#define STRATA_OTHER_SOURCES 0U
#endif

/// From the release and its sources, because builds with different planners must not count as equal.
constexpr std::uint32_t release =
    STRATA_VERSION_MAJOR << 16 | STRATA_VERSION_MINOR << 8 | STRATA_VERSION_PATCH;
constexpr std::uint32_t sources = STRATA_SOURCES ^ STRATA_OTHER_SOURCES;
constexpr std::uint32_t plugin_version = release * 0x9E3779B1U ^ sources;

/// Returns a hash of computed plans: two builds of the same sources may still round differently.
std::uint32_t probe() {
    const std::uint64_t plans = algorithms::probe_plans();
    return static_cast<std::uint32_t>(plans ^ plans >> 32);
}

/// Publishes the facts that messages name when processes disagree.
void publish_identity(Facts facts, std::uint32_t arithmetic) {
    facts.push_back({"release", std::to_string(STRATA_VERSION_MAJOR) + '.' +
                                    std::to_string(STRATA_VERSION_MINOR) + '.' +
                                    std::to_string(STRATA_VERSION_PATCH)});
    facts.push_back({"sources", std::to_string(sources)});
    facts.push_back({"plans of the self-test", std::to_string(arithmetic)});
    publish_facts(facts);
}

/// Not a ProcessWide: Open MPI keeps addresses of its members beyond close().
Variables& variables() {
    static Variables all;
    return all;
}

std::unique_ptr<Settings>& settings() {
    static ProcessWide<std::unique_ptr<Settings>> parsed;
    return parsed.get();
}

Surroundings& surroundings() {
    static ProcessWide<Surroundings> known;
    return known.get();
}

/// Why this process, which takes part, can serve no communicator; the agreement reports it to the others.
Failure& start_failure() {
    static Failure failure = Failure::none;
    return failure;
}

/// Measures the time of MPI_Init in a function of the component.
class InitMeter {
public:
    InitMeter() = default;
    InitMeter(const InitMeter&) = delete;
    InitMeter& operator=(const InitMeter&) = delete;
    ~InitMeter() {
        if (compat::is_starting()) {
            counters().init_ns.add(ns_of(CLOCK_MONOTONIC) - start_);
            counters().init_processor_ns.add(ns_of(CLOCK_THREAD_CPUTIME_ID) - processor_start_);
        }
    }

private:
    std::uint64_t start_ = ns_of(CLOCK_MONOTONIC);
    std::uint64_t processor_start_ = ns_of(CLOCK_THREAD_CPUTIME_ID);
};

int register_parameters() {
    try {
        if (!layout::finding().objection.empty()) {
            return OMPI_SUCCESS;  // open() reports it
        }
        const InitMeter meter;
        variables().register_all(&mca_coll_strata_component.collm_version);
        register_counters(&mca_coll_strata_component.collm_version);
        register_communicator_counters(&mca_coll_strata_component.collm_version);
        return OMPI_SUCCESS;
    } catch (...) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
}

Surroundings find_surroundings() {
    // Open MPI's transports send larger messages only after a handshake.
    return {compat::size_variable("opal", "btl", "tcp", "eager_limit", 65536),
            compat::size_variable("opal", "btl", "vader", "eager_limit", 4096),
            compat::architecture(),
            compat::han_is_default(),
            compat::survives_failures(),
            compat::supports_gpu_buffers(),
            compat::transport_choice()};
}

/// Passes the collectives on blocks through: the plugin copies blocks by the processor, and Open MPI stages
/// GPU buffers only for reductions.
void pass_blocks_through(Settings& job) {
    for (const Collective op : algorithms::all_collectives()) {
        job.disabled[static_cast<std::size_t>(op)] |= algorithms::traits_of(op).blocks;
    }
}

/// Reports once per job that the plugin is built for another Open MPI.
int decline_release() noexcept {
    try_to([] {
        const layout::Finding& found = layout::finding();
        if (layout::is_lowest_process()) {
            find_help_texts();
            show_other_release(layout::host_name(), found.built_for, found.running, found.objection);
        }
    });
    return OMPI_ERR_NOT_AVAILABLE;
}

void report_unknown_release(const std::string& verbose) {
    const layout::Finding& found = layout::finding();
    if (!found.is_listed && std::atoi(verbose.c_str()) > 0 && layout::is_lowest_process()) {
        opal_output(0,
                    "coll:strata: built for Open MPI %s, and %s runs: a release is not in the list, but all "
                    "sizes match",
                    found.built_for.c_str(), found.running.c_str());
    }
}

void report_values_without_effect(const SettingsText& text) {
    if (settings()->verbose < 1 || compat::own_name().vpid != 0) return;
    for (const std::string& name : values_without_effect(text, *settings())) {
        opal_output(0, "coll:strata: no effect: %s, because coll_strata_disable names the collective",
                    name.c_str());
    }
}

int open() {
    try {
        if (!layout::finding().objection.empty()) {
            return decline_release();
        }
    } catch (...) {
        return OMPI_ERROR;
    }
    const HoldCancellation hold;
    const InitMeter meter;
    const topology::DefaultArithmetic arithmetic;
    try {
        ProcessWideBase::renew_all();  // an earlier opening may have had other settings
        compat::count_opening();
        find_help_texts();
        start_failure() = Failure::none;
        const SettingsText text = variables().text();
        report_unknown_release(text.verbose);
        std::vector<std::string> errors;
        settings() = std::make_unique<Settings>(parse_settings(text, compat::coll_components(), errors));
        // Process 0 reports for all: if only other nodes have bad values, the settings differ, which is
        // reported.
        if (compat::own_name().vpid == 0) {
            std::vector<std::string> lines = Variables::unknown_names();
            lines.insert(lines.begin(), errors.begin(), errors.end());
            if (!lines.empty()) show_bad_parameters(lines);
        }
        report_values_without_effect(text);
        surroundings() = find_surroundings();
        const Surroundings& here = surroundings();
        settings()->survives_failures = here.survives_failures;
        // A rank that waits for a board does not notice a failure, and the processor copies to boards.
        if (here.survives_failures || here.gpu_buffers) {
            settings()->shares_memory = false;
        }
        if (here.gpu_buffers) {
            pass_blocks_through(*settings());
        }
        start_stall_reports(settings()->stall_report);
        settings()->links.set_eager_limits(here.network_eager_bytes, here.node_eager_bytes);
        const Facts facts = agreement_facts(text, *settings(), errors, here);
        if (settings()->priority < 0) {
            publish_facts(facts);
        } else {
            if (!settings()->dump.empty()) {
                publish_notes(own_notes(*settings()));
            }
            reserve().set_aside();
            fill_module_pool();
            const std::uint32_t probed = probe();
            publish_identity(facts, probed);
            // Last, because a published record means that this process takes part.
            publish_record(own_record(*settings(), hash_of(facts), plugin_version ^ probed, start_failure()));
        }
        return OMPI_SUCCESS;
    } catch (...) {
        return OMPI_ERROR;  // no record published: every communicator of the job passes calls through
    }
}

/// Runs an optional step: its errors are ignored.
void if_published(void (*step)()) noexcept {
    const HoldCancellation hold;
    try {
        if (settings() && settings()->priority >= 0) {
            step();
        }
    } catch (...) {
    }
}

int close() {
    if_published(complete_dump);
    stop_stall_reports();
    release_module_pool();
    release_wait_syncs();
    ProcessWideBase::renew_all();
    return OMPI_SUCCESS;
}

int init_query(bool /*progress_threads*/, bool /*mpi_threads*/) { return OMPI_SUCCESS; }

decltype(mca_coll_base_module_t::coll_module_enable) enable_module = nullptr;

/// Runs introduce_job(), which waits for other processes. Not in the query: queries of other components may
/// wait, too, and Open MPI queries components in the order in which it found them, which may differ between
/// nodes. It enables them in the order of priority on every node.
int enable_of_world(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    {
        const InitMeter meter;
        if_published(introduce_job);
    }
    return enable_module(module, comm);
}

mca_coll_base_module_t* comm_query(ompi_communicator_t* comm, int* priority) {
    const InitMeter meter;
    *priority = -1;
    mca_coll_base_module_t* const module =
        settings() ? query_module(comm, priority, *settings(), surroundings(), start_failure()) : nullptr;
    if (module != nullptr && comm == &ompi_mpi_comm_world.comm) {
        enable_module = module->coll_module_enable;
        module->coll_module_enable = enable_of_world;
    }
    return module;
}

}  // namespace
}  // namespace strata::component

mca_coll_base_component_t mca_coll_strata_component = {
    .collm_version =
        {
            STRATA_COLL_BASE_VERSION,
            .mca_component_name = "strata",
            MCA_BASE_MAKE_VERSION(component, STRATA_VERSION_MAJOR, STRATA_VERSION_MINOR,
                                  STRATA_VERSION_PATCH),
            .mca_open_component = strata::component::open,
            .mca_close_component = strata::component::close,
            .mca_register_component_params = strata::component::register_parameters,
        },
    .collm_data = {MCA_BASE_METADATA_PARAM_NONE},
    .collm_init_query = strata::component::init_query,
    .collm_comm_query = strata::component::comm_query,
};
