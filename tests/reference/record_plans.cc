// Prints what is planned for many operations on many machines: a digest for each machine and setting, or
// every plan.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "algorithms/base/plan_hash.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "machines.h"
#include "topology/fact_hash.h"

namespace {

using namespace strata;
using algorithms::Collective;
using algorithms::Engine;
using algorithms::Operation;
using algorithms::Plan;

constexpr std::size_t sizes[] = {8, 512, 8192, 65536, 262144, 1 << 20, 16 << 20};

/// What a user sets, by name.
struct Setting {
    std::string name;
    algorithms::PlanSettings settings;
};

Setting by_preset(const std::string& name) {
    const std::string file = STRATA_PRESETS + name + ".json";
    std::ifstream opened(file);
    const std::string text{std::istreambuf_iterator<char>(opened), {}};
    Setting setting{name, {}};
    setting.settings.rules = algorithms::parse_rules(text, file);
    setting.settings.rules_file = file;
    algorithms::set_links(setting.settings.links, setting.settings.rules.links);
    return setting;
}

std::vector<Setting> all_settings() {
    std::vector<Setting> all{{"defaults", {}}};
    for (const char* preset : {"ethernet-cluster", "fat-numa-node", "infiniband-cluster", "wan-grid"})
        all.push_back(by_preset(preset));
    for (const Engine engine : algorithms::all_engines()) {
        if (engine == Engine::automatic || engine == Engine::forward) continue;
        if (engine == Engine::node)
            continue;  // with boards there is nothing to choose, without it is automatic
        Setting setting{std::string(name_of(engine)), {}};
        for (int i = 0; i < algorithms::collective_count; ++i) {
            algorithms::Overrides overrides;
            overrides.engine = engine;
            const auto collective = static_cast<Collective>(i);
            if (check(overrides, collective).empty())
                setting.settings.overrides[static_cast<std::size_t>(i)] = overrides;
        }
        all.push_back(setting);
    }
    return all;
}

/// Every size and two roots; reductions also with an order that must not change.
std::vector<Operation> operations(Collective collective, int ranks) {
    const algorithms::CollectiveTraits traits = traits_of(collective);
    std::vector<Operation> all;
    for (const std::size_t bytes : sizes) {
        Operation operation{collective, traits.sized && collective != Collective::barrier ? bytes : 0};
        all.push_back(operation);
        if (traits.rooted) {
            operation.root = ranks - 1;
            all.push_back(operation);
        }
        if (traits.combines) {
            operation.root = 0;
            operation.reproducible = true;
            all.push_back(operation);
            operation.rank_order = true;
            all.push_back(operation);
        }
        if (operation.bytes == 0) break;
    }
    return all;
}

void print_plan(const Operation& operation, const char* what, const Plan& plan) {
    std::printf("    %s %zu B root %d%s%s %s: %s", name_of(operation.collective).data(), operation.bytes,
                operation.root, operation.reproducible ? " reproducible" : "",
                operation.rank_order ? " in order" : "", what, std::string(name_of(plan.engine)).c_str());
    for (const algorithms::LevelPlan& level : plan.levels) {
        std::printf(" %s=%s/%zu", topology::name_of(level.level).c_str(), name_of(level.method).c_str(),
                    level.segment_bytes);
    }
    for (const topology::LevelKey level : plan.skipped)
        std::printf(" %s=skip", topology::name_of(level).c_str());
    std::printf(" window %d %zu rails %d%s, %.6g us, passed through %.6g us\n", plan.window,
                plan.network_window_bytes, plan.rails, plan.nic_local ? " NIC-local receiver" : "",
                plan.predicted_us, plan.forward_us);
}

/// All plans of one machine and setting.
class Record {
public:
    Record(const algorithms::Planner& planner, bool every) : planner_(planner), every_(every) {}

    void add(const Operation& operation) {
        const Operation representative = planner_.class_of(operation).representative;
        const Plan plan = planner_.make_plan(representative);
        add(operation, "at first", plan);
        if (const auto later = planner_.evaluate_delegation(representative, plan))
            add(operation, "later", later->plan);
    }
    void print(const std::string& name) const {
        std::printf("%s: %d plans, choices %016llx, geometric mean %.4g us\n", name.c_str(), plans_,
                    static_cast<unsigned long long>(choices_.value()), std::exp(logarithms_ / plans_));
    }

private:
    void add(const Operation& operation, const char* what, const Plan& plan) {
        choices_.add(hash_of(plan));
        if (plan.predicted_us > 0) logarithms_ += std::log(plan.predicted_us);
        ++plans_;
        if (every_) print_plan(operation, what, plan);
    }

    const algorithms::Planner& planner_;
    bool every_;
    topology::FactHash choices_;
    double logarithms_ = 0;
    int plans_ = 0;
};

void record(const std::string& name, const algorithms::Planner& planner, int ranks, bool every) {
    Record record(planner, every);
    for (int i = 0; i < algorithms::collective_count; ++i) {
        for (const Operation& operation : operations(static_cast<Collective>(i), ranks))
            record.add(operation);
    }
    record.print(name);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Prints what is planned for many operations, a line for each machine and setting."};
    std::string of;
    bool every = false;
    app.add_option("--of", of, "only names that contain this, as in '4x4-cyclic defaults'");
    app.add_flag("--every", every, "every plan as well");
    CLI11_PARSE(app, argc, argv);
    const std::vector<Setting> settings = all_settings();
    for (const reference::NamedMachine& machine : reference::machines()) {
        const bool irregular = machine.name.starts_with("irregular");
        const int ranks = machine.hierarchy.ranks();
        for (const Setting& setting : settings) {
            const bool preset = !setting.settings.rules_file.empty();
            if ((irregular && preset) || (ranks > 256 && setting.name != "defaults")) continue;
            const std::string name = machine.name + ' ' + setting.name;
            if (name.find(of) == std::string::npos) continue;
            const algorithms::Planner planner(machine.hierarchy, setting.settings, false,
                                              setting.name == "rails" ? 2 : 1);
            record(name, planner, ranks, every);
        }
    }
}
