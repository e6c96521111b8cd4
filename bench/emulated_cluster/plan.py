"""What a cluster looks like: sites, nodes, slots and links. Pure data, nothing here touches the system."""

import dataclasses
import random
import re

DATA_NETWORK = "10.1.0.0/16"
MANAGEMENT_NETWORK = "10.9.0.0/16"

ORDERS = ("block", "cyclic", "shuffle")

_RATE = re.compile(r"[0-9]+(\.[0-9]+)?[kmg]?(bit|bps)")


class UserError(Exception):
    """Something the user can put right; the text says what was found and what is expected."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """One cluster. Nodes are numbered through all sites: site 0 holds the first ones."""

    site_sizes: tuple  # nodes of every site
    slots: tuple  # ranks that mpirun may place on every node
    nic: str  # rate of every node's card, each direction, as tc writes it; "none": unshaped
    uplink: str  # the same for every link between sites
    delay_us: float  # one-way delay between two sites; 0: no relay
    relay_mbit: float  # rate at which the relay serialises; 0: no limit
    mtu: int
    queue_bytes: int  # what a shaped link holds back before it drops

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
        """Node numbers of a site, as a range."""
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


def integers(text, what):
    """Comma-separated positive integers."""
    try:
        values = tuple(int(word) for word in text.split(","))
    except ValueError:
        values = ()
    if not values or min(values) < 1:
        raise UserError(f"{what} '{text}': expected positive numbers separated by commas, as in 2,3,5,6")
    return values


def check_rate(text, what):
    if text != "none" and not _RATE.fullmatch(text):
        raise UserError(f"{what} '{text}': expected a rate like 200mbit or 1gbit, or none")
    return text


def make(options):
    """The plan that the options of `up` describe.

    Options left out (None) follow from the others: nodes are dealt evenly to the sites, and the uplink is
    200mbit unless the relay limits it.
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
    slots = integers(options.slots, "--slots")
    if len(slots) == 1:
        slots *= nodes
    if len(slots) != nodes:
        raise UserError(f"--slots {options.slots}: {len(slots)} numbers for {nodes} nodes; "
                        "give one number for all nodes, or one for each")
    if options.delay_us < 0 or options.relay_mbit < 0:
        raise UserError("--delay-us and --relay-mbit must not be negative")
    if sites == 1 and (options.delay_us or options.relay_mbit):
        raise UserError("--delay-us and --relay-mbit act between sites, and there is only one site")
    if not 576 <= options.mtu <= 65000:
        raise UserError(f"--mtu {options.mtu}: expected 576 to 65000")
    uplink = options.uplink or ("none" if options.relay_mbit else "200mbit")
    return Plan(site_sizes, slots, check_rate(options.nic, "--nic"), check_rate(uplink, "--uplink"),
                options.delay_us, options.relay_mbit, options.mtu, options.queue_bytes)


def hostfile(plan):
    """mpirun's host file: one line per node."""
    return "".join(f"{node_name(node)} slots={count}\n" for node, count in enumerate(plan.slots))


def shuffled_hostfile(plan, seed):
    """A host file for `--map-by seq`: line r is the node of rank r, in an order that the seed fixes."""
    places = [node for node, count in enumerate(plan.slots) for _ in range(count)]
    random.Random(seed).shuffle(places)
    return "".join(node_name(node) + "\n" for node in places)


def slurm_topology(plan):
    """The cluster as a Slurm topology.conf: a switch per site and, with several sites, one on top."""
    def numbered(prefix, numbers):
        return f"{prefix}{numbers[0]}" if len(numbers) == 1 else f"{prefix}[{numbers[0]}-{numbers[-1]}]"

    lines = [f"SwitchName=site{site} Nodes={numbered('n', plan.nodes_of(site))}"
             for site in range(plan.sites)]
    if plan.sites > 1:
        lines.append(f"SwitchName=top Switches={numbered('site', range(plan.sites))}")
    return "\n".join(lines) + "\n"


def describe(plan):
    """The cluster in a few lines for people."""
    def rate(text):
        return "unshaped" if text == "none" else text

    lines = [f"{plan.nodes} nodes, {sum(plan.slots)} slots, {plan.sites} site{'s' * (plan.sites > 1)}"]
    for site in range(plan.sites):
        members = ", ".join(f"{node_name(node)} ({plan.slots[node]})" for node in plan.nodes_of(site))
        lines.append(f"  site{site}: {members}")
    lines.append(f"cards {rate(plan.nic)}, MTU {plan.mtu}")
    if plan.sites > 1:
        link = f"between sites {rate(plan.uplink)}"
        if plan.has_relay:
            link += f", relay delay {plan.delay_us:g} us one way"
            link += f", relay rate {plan.relay_mbit:g} Mbit/s" if plan.relay_mbit else ""
        lines.append(link)
    return "\n".join(lines)
