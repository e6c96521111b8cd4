"""The plan of a cluster: sites, nodes, slots and links. Pure data; nothing here touches the system."""

import dataclasses
import random
import re

DATA_NETWORK = "10.1.0.0/16"
MANAGEMENT_NETWORK = "10.9.0.0/16"

ORDERS = ("block", "cyclic", "shuffle")
SHUFFLE_SEED = 7
FAR_DIRECTIONS = ("receive", "both")

_RATE = re.compile(r"[0-9]+(\.[0-9]+)?[kmg]?(bit|bps)")


class UserError(Exception):
    """An error that the user can correct; the text states the found and the expected value."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """One cluster. Node numbers run through all sites: site 0 holds the first ones."""

    site_sizes: tuple  # nodes of every site
    slots: tuple  # ranks that mpirun may place on every node
    nic: str  # rate of every node's NIC, each direction, in tc's notation; "none": unshaped
    uplink: str  # the same for every link between sites
    delay_us: float  # one-way delay between two sites; 0: no relay
    relay_mbit: float  # rate at which the relay serialises; 0: no limit
    mtu: int
    queue_bytes: int  # bytes that a shaped link queues before it drops
    far_mbit: float = 0  # rate in Mbit/s of the path between far ranks and their node's NIC; 0: all are near
    far_ranks: str = "half"  # number of far ranks: see far_counts
    far_direction: str = "receive"  # slow directions: receive (to the far ranks), or both
    second_nic: str = ""  # rate of the far ranks' own NIC; "": they have none

    @property
    def has_far(self):
        return self.far_mbit > 0 or bool(self.second_nic)

    @property
    def nodes(self):
        return len(self.slots)

    @property
    def sites(self):
        return len(self.site_sizes)

    @property
    def has_relay(self):
        return self.sites > 1 and (self.delay_us > 0 or self.relay_mbit > 0)

    def nodes_of(self, site):
        """Returns the node numbers of a site as a range."""
        first = sum(self.site_sizes[:site])
        return range(first, first + self.site_sizes[site])

    def site_of(self, node):
        return next(site for site in range(self.sites) if node in self.nodes_of(site))

    def to_json(self):
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(fields):
        return Plan(**{**fields, "site_sizes": tuple(fields["site_sizes"]), "slots": tuple(fields["slots"])})


def node_name(node):
    return f"n{node}"


def data_address(node):
    return "10.1.%d.%d" % divmod(node + 1, 256)


def management_address(node):
    return "10.9.%d.%d" % divmod(node + 1, 256)


def far_data_address(node):
    return "10.1.%d.%d" % divmod((128 << 8) + node + 1, 256)


def far_management_address(node):
    return "10.9.%d.%d" % divmod((128 << 8) + node + 1, 256)


def integers(text, what, least=1):
    """Comma-separated integers."""
    try:
        values = tuple(int(word) for word in text.split(","))
    except ValueError:
        values = ()
    if not values or min(values) < least:
        raise UserError(f"{what} '{text}': expected numbers from {least} separated by commas, as in 2,3,5,6")
    return values


def per_node(text, nodes, what, least=1):
    """Parses one number for each node, or one for all of them."""
    values = integers(text, what, least)
    if len(values) == 1:
        values *= nodes
    if len(values) != nodes:
        raise UserError(f"{what} {text}: {len(values)} numbers for {nodes} nodes; "
                        "give one number for all nodes, or one for each")
    return values


def chosen_slots(plan, text):
    """Returns the number of ranks on every node. `text` is as for --per-node, or None for all slots."""
    if text is None:
        return plan.slots
    chosen = per_node(text, plan.nodes, "--per-node", least=0)
    for node, (wanted, most) in enumerate(zip(chosen, plan.slots)):
        if wanted > most:
            raise UserError(f"--per-node {text}: {wanted} ranks on {node_name(node)}, which has {most} slots")
    if not any(chosen):
        raise UserError(f"--per-node {text}: no rank at all")
    return chosen


def far_counts(text, slots):
    """Returns the number of ranks on every node that are far from its NIC: always the lowest local ranks,
    so that a leader chosen by rank is far. `text` is "half" (rounded down), a number, or one for each node."""
    if text == "half":
        return tuple(count // 2 for count in slots)
    return tuple(map(min, per_node(text, len(slots), "--far-ranks", least=0), slots))


def check_rate(text, what):
    if text != "none" and not _RATE.fullmatch(text):
        raise UserError(f"{what} '{text}': expected a rate like 200mbit or 1gbit, or none")
    return text


def make(options):
    """Returns the plan that the options of `up` describe.

    Options left out (None) follow from the others: nodes are divided evenly among the sites, and the uplink
    is 200mbit unless the relay limits it.
    """
    if options.site_sizes:
        site_sizes = integers(options.site_sizes, "--site-sizes")
        nodes, sites = sum(site_sizes), len(site_sizes)
        if options.nodes not in (None, nodes) or options.sites not in (None, sites):
            raise UserError(f"--site-sizes {options.site_sizes} makes {nodes} nodes in {sites} sites, "
                            "which contradicts --nodes or --sites")
    else:
        nodes = 4 if options.nodes is None else options.nodes
        sites = 2 if options.sites is None else options.sites
        if not 1 <= sites <= nodes <= 1000:
            raise UserError(f"{nodes} nodes in {sites} sites: expected 1 <= sites <= nodes <= 1000")
        site_sizes = tuple(nodes // sites + (site < nodes % sites) for site in range(sites))
    slots = per_node(options.slots, nodes, "--slots")
    if options.delay_us < 0 or options.relay_mbit < 0:
        raise UserError("--delay-us and --relay-mbit must not be negative")
    if sites == 1 and (options.delay_us or options.relay_mbit):
        raise UserError("--delay-us and --relay-mbit act between sites, and there is only one site")
    if not 576 <= options.mtu <= 65000:
        raise UserError(f"--mtu {options.mtu}: expected 576 to 65000")
    uplink = options.uplink or ("none" if options.relay_mbit else "200mbit")
    if options.far_mbit < 0:
        raise UserError("--far-mbit must not be negative")
    if options.far_mbit and options.second_nic:
        raise UserError("--second-nic: far ranks have a NIC of their own or a slow path (--far-mbit), not both")
    if not options.far_mbit and options.far_direction != "receive":
        raise UserError("--far-direction needs --far-mbit, the rate of the path to far ranks")
    if not options.far_mbit and not options.second_nic and options.far_ranks != "half":
        raise UserError("--far-ranks needs --far-mbit, the rate of the path to far ranks, or --second-nic")
    far_counts(options.far_ranks, slots)
    return Plan(site_sizes, slots, check_rate(options.nic, "--nic"), check_rate(uplink, "--uplink"),
                options.delay_us, options.relay_mbit, options.mtu, options.queue_bytes,
                options.far_mbit, options.far_ranks, options.far_direction,
                options.second_nic and check_rate(options.second_nic, "--second-nic"))


def hostfile(slots):
    """Returns mpirun's host file: one line per node that has ranks."""
    return "".join(f"{node_name(node)} slots={count}\n" for node, count in enumerate(slots) if count)


def rank_nodes(slots, order, seed=SHUFFLE_SEED):
    """Returns the node of every rank: node by node, round robin, or in an order that the seed fixes."""
    places = [node for node, count in enumerate(slots) for _ in range(count)]
    if order == "cyclic":
        turns = [turn for count in slots for turn in range(count)]
        return [node for _, node in sorted(zip(turns, places))]
    if order == "shuffle":
        random.Random(seed).shuffle(places)
    return places


def hostfile_by_rank(slots, order, seed):
    """Returns a host file for `--map-by seq`: line r is the node of rank r."""
    return "".join(node_name(node) + "\n" for node in rank_nodes(slots, order, seed))


def slurm_topology(plan):
    """Returns the cluster as a Slurm topology.conf: a switch per site and, with several sites, one on top."""
    def numbered(prefix, numbers):
        return f"{prefix}{numbers[0]}" if len(numbers) == 1 else f"{prefix}[{numbers[0]}-{numbers[-1]}]"

    lines = [f"SwitchName=site{site} Nodes={numbered('n', plan.nodes_of(site))}"
             for site in range(plan.sites)]
    if plan.sites > 1:
        lines.append(f"SwitchName=top Switches={numbered('site', range(plan.sites))}")
    if plan.has_far:
        lines.append(f"# {_describe_far(plan)}; `cluster parameters` writes this for coll/strata")
    return "\n".join(lines) + "\n"


def machine_parameters(slots, far, second_nic=False):
    """Returns parameters of coll/strata that give each node its synthetic topology: two packages, each with
    a NUMA node and cores. Far ranks are on the first package, the others on the second with the NIC; a
    second NIC is at the first.

    `slots` and `far` are the numbers of ranks and of far ranks on every node. All nodes share one list of
    places, so a local rank has to be far on all nodes or on none.
    """
    sides = {}
    for count, distant in zip(slots, far):
        for local in range(count):
            if sides.setdefault(local, local < distant) != (local < distant):
                raise UserError(f"local rank {local} is far from the NIC on some nodes and near on others; "
                                "coll_strata_placement cannot express that. Give --far-ranks one number")
    distant = sum(sides.values())
    cores = max(distant, len(sides) - distant)
    places = [local if local < distant else cores + local - distant for local in range(len(sides))]
    return {"coll_strata_topology": f"synthetic:package:2 [numa] core:{cores}",
            "coll_strata_placement": ";".join(map(str, places)),
            "coll_strata_nic": "eth0@numa:1" + (",eth1@numa:0" if second_nic else "")}


def _describe_far(plan):
    counts = sorted(set(far_counts(plan.far_ranks, plan.slots)))
    which = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    which = "local rank" if which == "1" else f"{which} local ranks"
    if plan.second_nic:
        return f"a second NIC for the lowest {which} of a node, {plan.second_nic}"
    direction = "towards them" if plan.far_direction == "receive" else "each way"
    return (f"far from the NIC: the lowest {which} of a node, "
            f"{plan.far_mbit:g} Mbit/s {direction}")


def describe(plan):
    """Describes the cluster in a few lines."""
    def rate(text):
        return "unshaped" if text == "none" else text

    lines = [f"{plan.nodes} nodes, {sum(plan.slots)} slots, {plan.sites} site{'s' * (plan.sites > 1)}"]
    for site in range(plan.sites):
        members = ", ".join(f"{node_name(node)} ({plan.slots[node]})" for node in plan.nodes_of(site))
        lines.append(f"  site{site}: {members}")
    lines.append(f"NICs {rate(plan.nic)}, MTU {plan.mtu}")
    if plan.has_far:
        lines.append(_describe_far(plan))
    if plan.sites > 1:
        link = f"between sites {rate(plan.uplink)}"
        if plan.has_relay:
            link += f", relay delay {plan.delay_us:g} us one way"
            link += f", relay rate {plan.relay_mbit:g} Mbit/s" if plan.relay_mbit else ""
        lines.append(link)
    return "\n".join(lines)
