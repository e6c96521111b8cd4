#include "component/agreement/disagreement.h"

#include "component/openmpi/ompi_compat.h"

namespace strata::component {
namespace {

constexpr const char* facts_key = "coll.strata.facts";

std::string published_by(const opal_process_name_t& process) {
    std::vector<std::byte> bytes;
    if (compat::lookup(process, facts_key, bytes) != compat::Lookup::found) {
        return {};
    }
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string called(const opal_process_name_t& process) {
    return "process " + std::to_string(process.vpid) + " (node " +
           compat::node_names(process, {process.vpid}) + ')';
}

}  // namespace

void publish_facts(const Facts& facts) {
    const std::string text = write_facts(facts);
    compat::publish(facts_key, std::as_bytes(std::span(text)));  // without it, messages name no causes
}

std::string name_differences(std::span<const std::uint32_t> others) {
    const auto own = compat::own_name();
    const std::string here = published_by(own);
    for (const std::uint32_t other : others) {
        auto process = own;
        process.vpid = other;
        const std::string there = published_by(process);
        if (here.empty() || there.empty()) continue;
        std::string lines = list_differences(here, there, called(own), called(process));
        if (!lines.empty()) return lines;
    }
    return {};
}

bool is_switched_off(std::span<const std::uint32_t> processes) {
    auto process = compat::own_name();
    for (const std::uint32_t number : processes) {
        process.vpid = number;
        if (value_of(published_by(process), mca_name("priority")) == "-1") return true;
    }
    return false;
}

}  // namespace strata::component
