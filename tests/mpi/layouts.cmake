# Synthetic topologies, one parameter file each in the build folder: ${layout_folder}/NAME.conf. (A file, because a
# CMake list would split a placement at its semicolons.) Entry i of a placement is local rank i; all ranks of these
# tests run on one real machine. Shorter jobs use the first entries.
set(layout_folder ${CMAKE_CURRENT_BINARY_DIR}/layouts)

function(strata_layout name topology placement)
  string(REPLACE " " ";" entries "${placement}")
  set(text "coll_strata_topology = ${topology}\ncoll_strata_placement = ${entries}\n")
  foreach(line ${ARGN})
    string(APPEND text "${line}\n")
  endforeach()
  file(WRITE ${layout_folder}/${name}.conf "${text}")
endfunction()

set(two_packages "synthetic:package:2 numa:2 core:4")

# 4 nodes x 4 ranks: in block order, cyclic, and in one fixed random order.
strata_layout(block "${two_packages}"
  "0@n0 1@n0 4@n0 8@n0 0@n1 1@n1 4@n1 8@n1 0@n2 1@n2 4@n2 8@n2 0@n3 1@n3 4@n3 8@n3")
strata_layout(cyclic "${two_packages}"
  "0@n0 0@n1 0@n2 0@n3 1@n0 1@n1 1@n2 1@n3 4@n0 4@n1 4@n2 4@n3 8@n0 8@n1 8@n2 8@n3")
strata_layout(shuffled "${two_packages}"
  "8@n2 0@n1 4@n3 1@n0 4@n2 0@n0 8@n1 1@n3 0@n2 8@n0 4@n1 0@n3 1@n2 8@n3 4@n0 1@n1")
# 2 + 3 + 5 + 6 ranks; some processes spread over a NUMA domain, a package, or everything.
strata_layout(unequal "${two_packages}"
  "0@n0 1@n1 0-3@n2 0@n3 12@n0 8@n1 0@n2 5@n3 9@n1 1@n2 6@n3 8-15@n2 10@n3 all@n2 15@n3 0-7@n3")
# 1 + 2 + 5 ranks (and 2 + 4 + 10 of 16), mixed.
strata_layout(one_two_five "${two_packages}"
  "0@n2 0@n1 1@n2 4@n2 0@n0 8@n2 12@n1 9@n2 2@n2 1@n1 3@n2 5@n2 1@n0 10@n2 13@n1 11@n2")
# 1 + 2 + 5 + 8 ranks, one node after the other: every group's ranks are consecutive.
strata_layout(ascending "${two_packages}"
  "0@n0 0@n1 8@n1 0@n2 1@n2 4@n2 8@n2 12@n2 0@n3 1@n3 2@n3 4@n3 5@n3 8@n3 9@n3 12@n3")
# 2 nodes x 8 ranks: levels deep and wide enough inside nodes that plans skip some.
strata_layout(wide "${two_packages}"
  "0@n0 0@n1 1@n0 1@n1 4@n0 4@n1 5@n0 5@n1 8@n0 8@n1 9@n0 9@n1 12@n0 12@n1 13@n0 13@n1")
# NICs in two places of every node: a hashed tie-break per communicator elects leaders among the NIC-local ranks.
strata_layout(nics "${two_packages}"
  "8@n2 0@n1 4@n3 1@n0 4@n2 0@n0 8@n1 1@n3 5@n2 8@n0 4@n1 5@n3 6@n2 8@n3 4@n0 5@n1"
  "coll_strata_nic = ib0@numa:1,ib1@numa:2")
# Two nodes (three from the ninth rank on) with two NICs each, and processes near both.
strata_layout(two_nics "${two_packages}"
  "4@n0 8@n1 0@n0 9@n0 4@n1 5@n1 8@n0 1@n1 4@n2 8@n2 0@n2 5@n2 10@n1 6@n0 11@n2 12@n2"
  "coll_strata_nic = ib0@numa:1,ib1@numa:2")
# Three NICs; the second node uses one of its two twice, the third has processes local to one only.
strata_layout(three_nics "${two_packages}"
  "4@n0 8@n1 0@n0 9@n2 12@n0 4@n1 8@n0 1@n1 8@n2 5@n0 9@n1 0@n2 13@n0 5@n1 10@n2 9@n0"
  "coll_strata_nic = ib0@numa:1,ib1@numa:2,ib2@numa:3")
# One node of two cores for all ranks: unbound, and half of them on each core.
strata_layout(oversubscribed "synthetic:core:2" "all")
strata_layout(oversubscribed_cores "synthetic:core:2" "0 1")
# One node with a core for each.
strata_layout(roomy "synthetic:core:16" "all")
# Rules by size, on nodes of different sizes: every engine in turn, with bounds inside size classes.
file(WRITE ${layout_folder}/rules.json
"{\"version\": 1, \"rules\": [
  {\"bytes\": {\"below\": 100}, \"engine\": \"forward\"},
  {\"collective\": [\"allgather\", \"allgatherv\", \"allreduce\"], \"bytes\": {\"from\": 700, \"below\": 3000},
   \"engine\": \"ring\"},
  {\"bytes\": {\"from\": 900, \"below\": 5000}, \"engine\": \"levels\"},
  {\"engine\": \"tree\", \"levels\": [
    {\"group\": {\"below\": 3}, \"algorithm\": \"linear\", \"segment\": 1000},
    {\"level\": \"node\", \"algorithm\": \"pipeline\", \"segment\": \"2k\"}]}]}
")
strata_layout(rules "${two_packages}"
  "0@n2 0@n1 1@n2 4@n2 0@n0 8@n2 12@n1 9@n2 2@n2 1@n1 3@n2 5@n2 1@n0 10@n2 13@n1 11@n2"
  "coll_strata_rules = ${layout_folder}/rules.json")
# Five levels of unequal depth: site0 has a hall of two racks and one more rack, site1 only nodes; packages and NUMA
# domains are below each node.
file(WRITE ${layout_folder}/topology.conf
"SwitchName=rack0 Nodes=n0
SwitchName=rack1 Nodes=n1
SwitchName=rack2 Nodes=n2
SwitchName=hall Switches=rack[0-1]
SwitchName=site0 Switches=hall,rack2
SwitchName=site1 Nodes=n[3-4]
SwitchName=top Switches=site[0-1]
")
strata_layout(deep "${two_packages}"
  "0@n0 0@n4 1@n0 0@n1 4@n0 8@n1 0@n2 12@n2 1@n2 0-3@n3 0@n3 1@n3 8@n3 1@n1 12@n0 all@n4"
  "coll_strata_network = file:${layout_folder}/topology.conf")
# One node whose topmost groups are hwloc Groups, as are some far below them; rules set the links inside it.
strata_layout(nested_groups "synthetic:group:2 package:2 group:2 core:4"
  "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" "coll_strata_rules = fat-numa-node")
# Slow links between the nodes of `block`, as if measured: they make communicators worthwhile for short Allgathers.
file(WRITE ${layout_folder}/slow_links.json
"{\"version\": 1, \"links\": [
  {\"level\": \"cluster\", \"latency_us\": 200, \"overhead_us\": 5, \"mbytes_per_s\": 1200}]}
")
strata_layout(slow_links "${two_packages}"
  "0@n0 1@n0 4@n0 8@n0 0@n1 1@n1 4@n1 8@n1 0@n2 1@n2 4@n2 8@n2 0@n3 1@n3 4@n3 8@n3"
  "coll_strata_hierarchy = node" "coll_strata_rules = ${layout_folder}/slow_links.json")
