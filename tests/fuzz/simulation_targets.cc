#include <cmath>

#include "machine.h"
#include "parsers.h"
#include "targets.h"

namespace strata::fuzz {

void simulated_machine(std::string_view input) {
    const simulation::Machine machine = simulation::machine_from_text(input, "m.json");
    require(machine.job.topologies.size() == 1, "a machine has nodes of one kind");
    require(machine.combine_mbytes_per_s > 0 && machine.overhead_us >= 0, "a processor takes time");
    require(machine.eager_bytes <= std::size_t{1} << 40, "a message has an end");
    for (const simulation::LinkClass& link : machine.links) {
        require(link.mbytes_per_s > 0 && std::isfinite(link.mbytes_per_s), "a link carries something");
        require(link.latency_us >= 0 && std::isfinite(link.latency_us), "a link takes time");
    }
    must_not_throw([&] {
        for (const simulation::LinkClass& link : machine.links) {
            machine.at({link.level.kind, link.level.height.value_or(0)});
        }
    });
}

}  // namespace strata::fuzz
