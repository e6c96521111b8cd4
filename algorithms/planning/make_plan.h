#pragma once
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Chooses engine, shapes and segment size. Only symmetric inputs. Naming a component, or a pattern that only
/// the levels engine has, selects that engine; the model never does. Every level whose method no rule fixed
/// is a ring under the ring engine. An automatic engine becomes
///  - inside a node: tree where that is predicted at least 15 % faster than the underlying component (Bcast:
///    5 %, all others 8 % where the table tells of buses), else forward. Bcast only where ranks share
///    processors (Hierarchy::oversubscription), for which our own engines would compete, or where the table
///    says nothing of links inside nodes;
///  - between nodes: tree, ring (Allgather, Allreduce; in pieces of at least 4 KiB but among all ranks) or
///    forward, whichever takes least in the geometric mean of these: all is what the table of links says, or,
///    as far as nobody gave its links, the network is eight times narrower, as a whole or on the topmost
///    level, uplinks are as wide as all NICs together, the topmost level is 50 times longer, processors are
///    four times slower. Weighed are the trees that are best under each of these except the wide uplinks, and
///    those without the switches below the topmost level that are best for the table and, but for blocks to
///    or from a root, under wide uplinks. Forward where none is at least 5 % faster; of two within 5 % the
///    tree that is best for the table. A root far from its NIC takes a quarter longer
///    (LinkParameters::far_share) to receive what other nodes send, in a tree, too; where one hop costs less,
///    somebody near receives for it (Plan::nic_local), and likewise in a Reduce that need not keep an order;
///  - Gatherv, Scatterv: forward, since the ranks do not know the sizes alike;
///  - a reproducible reduction: tree, everywhere.
/// The rails engine is chosen by the user only: how far a process uses other NICs than the one near it, and
/// how much of a link above the nodes all NICs share, are not known. It has one tree (Engine::tree) where
/// there are NICs for one only, for reductions that must keep an order, and where short whole vectors are
/// exchanged.
/// Reductions get one segment size for all levels. What has no root exchanges on the topmost level
/// (exchanges_by(), whole vectors elsewhere; blocks of less than 1 MiB in all) where that is predicted
/// faster. An Allreduce has a ring on the topmost level only, and neither that nor an exchange of halves
/// under `rank_order` or `reproducible`; an automatic one between nodes takes the ring as Allgather does.
/// `rank_order`: only shapes that keep it. `reproducible`: binomial trees where no rule says otherwise.
/// Levels inside nodes are skipped where the tree or ring is predicted at least 5 % faster without them
/// (Plan::skipped), unless a rule names them, or an order must be kept. All levels but the topmost one are
/// skipped where a ring, an exchange of halves, a chain or two trees (double_binary) among all ranks are
/// predicted faster by as much, on up to 4,096 ranks that share no processors, where the table says what
/// links inside nodes cost. The underlying component (forward_us) is taken to be Open MPI's coll/tuned 4.1.
/// Of machines of more than 64 ranks trees are predicted for the nodes that are served first (thin_out()).
/// For random plans on equal nodes below equal switches that differs from the prediction for all by less than
/// 0.1
/// %, but for Allgather and Gather by 1 % in the mean and 21 % at worst. With nodes of 2 to 6 ranks it is 0.5
/// % (Gather, Scatter) to 4 % (Allreduce, Barrier) in the mean and 29 % at worst, nearly always too long: a
/// small switch that is left out counts as the largest one. Where switches are skipped it is 1 % and 17 %.
/// Throws std::invalid_argument with check()'s message. Cost: O(ranks * depth) per candidate, of which only
/// the ranks that thin_out() leaves count; the number of candidates depends on the number of levels only;
/// O(ranks * (depth + log ranks)) for each forward_us, once O(ranks * depth * log ranks).
Plan make_plan(const topology::Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation);

/// Why make_plan() leaves a collective of which the user says nothing to the underlying component, whatever
/// the size and the root; null where these matter. Not for reproducible reductions.
const char* passed_at_every_size(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                 Collective collective);

}  // namespace strata::algorithms
