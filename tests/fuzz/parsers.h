#pragma once
#include <string_view>

#include "topology/hierarchy.h"

/// The targets, one per parser.
namespace strata::fuzz {

void topology_conf(std::string_view input);
void network_hosts(std::string_view input);
void slurm_switches(std::string_view input);
void host_list(std::string_view input);
void hierarchy_hint(std::string_view input);
void placement(std::string_view input);
void nics(std::string_view input);
void synthetic_machine(std::string_view input);

void machine_xml(std::string_view input);
void network_source(std::string_view input);

void locality_record(std::string_view input);
void node_notes(std::string_view input);
void hierarchy(std::string_view input);

void rules(std::string_view input);
void level_methods(std::string_view input);
void level_sizes(std::string_view input);
void hierarchy_dump(std::string_view input);
void usage(std::string_view input);

void published_data(std::string_view input);
void settings(std::string_view input);
void info_keys(std::string_view input);
void interfaces(std::string_view input);

void traffic(std::string_view input);
void traffic_profile(std::string_view input);

void simulated_machine(std::string_view input);

/// Draws every parsed hierarchy, and parses its drawing again.
void check_pictures(const topology::Hierarchy& hierarchy);
/// Four nodes of two packages below two switches, a rank per core.
const topology::Hierarchy& small_job();

}  // namespace strata::fuzz
