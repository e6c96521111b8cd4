"""Links of the cluster: bridges and virtual cables (ip), rate limits (tc), offloads.

Every function acts on the network namespace of its caller. Names: in the fabric, site<s> are the data
bridges, core joins more than two sites, mgmt is the bridge of the management network, d<i> and m<i> are the
ends of node i's cables. In a node, eth0 is the NIC and mg0 its management interface.

Where ranks may be far from the NIC, a node has a second network namespace for them. The node's eth0 is then
a bridge between its NIC (NIC) and the path to that namespace (far), where the path's other end is called
eth0 too; that namespace's own management interface hangs on f<i> of the fabric. Where far ranks have a NIC of
their own instead, that namespace's eth0 hangs on e<i> of the fabric. What lossy links lose goes to the bridge lost.
"""

import contextlib
import json
import os
import shutil
import subprocess

from . import kernel
from .plan import UserError, data_address, far_data_address, far_management_address, management_address

BURST_BYTES = 15000
# A NIC holds its senders back. That does not reach from one network namespace to another: behind such a border
# a queue has to hold what TCP sends at once, or far ranks would lose packets that near ones would not send.
_FAR_QUEUE_FACTOR = 16


def find_program(name):
    """Path of a program; also looks where Debian keeps administrators' programs. None if absent."""
    return shutil.which(name, path=os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin")


def batch(program, lines):
    """Runs lines through `ip -batch` or `tc -batch`."""
    done = subprocess.run([find_program(program) or program, "-batch", "-"], input="\n".join(lines) + "\n",
                          text=True, capture_output=True, check=False)
    if done.returncode:
        raise UserError(f"{program} failed: {done.stderr.strip() or done.stdout.strip()}")


def _ask(program, *arguments):
    """What `ip -json` or `tc -json` says."""
    done = subprocess.run([find_program(program) or program, "-json", *arguments], text=True, capture_output=True,
                          check=False)
    if done.returncode:
        raise UserError(f"{program} failed: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout or "[]")


def disable_ipv6():
    """Keeps router discovery and the like off the links; needs nothing if the kernel has no IPv6."""
    for scope in ("all", "default"):
        try:
            with open(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass


def _shape(device, rate, plan, queue_factor=1):
    """tc lines that limit what leaves a device. htb, as it takes frames longer than its burst."""
    if rate == "none":
        return []
    leaf = f"htb rate {rate} burst {BURST_BYTES} cburst {BURST_BYTES} quantum {plan.mtu}"
    return [f"qdisc replace dev {device} root handle 1: htb default 10",
            f"class add dev {device} parent 1: classid 1:1 {leaf}",
            f"class add dev {device} parent 1:1 classid 1:10 {leaf}",
            f"qdisc add dev {device} parent 1:10 handle 10: bfifo limit {plan.queue_bytes * queue_factor}"]


def build_bridges(plan):
    bridges = [f"site{site}" for site in range(plan.sites)] + (["core"] if plan.sites > 2 else [])
    lines = ["link set lo up", "link add mgmt type bridge", "link set mgmt up"]
    for bridge in bridges:
        lines += [f"link add {bridge} type bridge", f"link set {bridge} mtu {plan.mtu} up"]
    batch("ip", lines)


def _limit(device, rate, plan, queue_factor=1):
    """Offloads off, and a limit on what leaves a device."""
    kernel.offloads_off(device)
    shaping = _shape(device, rate, plan, queue_factor)
    if shaping:
        batch("tc", shaping)


def connect_node(plan, node, pid, far_pid=None):
    """Cables from the fabric to a node. Processes stand for its namespace and the one of its far ranks."""
    nic = "eth0" if far_pid is None or plan.second_nic else "nic"
    lines = [f"link add d{node} mtu {plan.mtu} type veth peer name {nic} mtu {plan.mtu} netns {pid}",
             f"link add m{node} type veth peer name mg0 netns {pid}",
             f"link set d{node} master site{plan.site_of(node)} up",
             f"link set m{node} master mgmt up"]
    if far_pid is not None:
        lines += [f"link add f{node} type veth peer name mg0 netns {far_pid}",
                  f"link set f{node} master mgmt up"]
    if plan.second_nic:
        lines += [f"link add e{node} mtu {plan.mtu} type veth peer name eth0 mtu {plan.mtu} netns {far_pid}",
                  f"link set e{node} master site{plan.site_of(node)} up"]
    batch("ip", lines)
    _limit(f"d{node}", plan.nic, plan)
    if plan.second_nic:
        _limit(f"e{node}", plan.second_nic, plan)


def _addresses(data, management):
    return [f"addr add {data}/16 dev eth0", "link set eth0 up",
            f"addr add {management}/16 dev mg0", "link set mg0 up"]


def configure_node(plan, node, far_pid=None):
    """Addresses and rate limits inside a node, once its cables are there."""
    lines = ["link set lo up"]
    one_nic = far_pid is not None and not plan.second_nic
    if one_nic:
        lines += [f"link add eth0 mtu {plan.mtu} type bridge", f"link set eth0 mtu {plan.mtu}",
                  "link set NIC master eth0 up",
                  f"link add far mtu {plan.mtu} type veth peer name eth0 mtu {plan.mtu} netns {far_pid}",
                  "link set far master eth0 up"]
    batch("ip", lines + _addresses(data_address(node), management_address(node)))
    if not one_nic:
        _limit("eth0", plan.nic, plan)
    else:
        kernel.offloads_off("eth0")  # of the bridge: it would hand the limiters large packets, too
        _limit("nic", plan.nic, plan, _FAR_QUEUE_FACTOR)
        _limit("far", _far_rate(plan), plan, _FAR_QUEUE_FACTOR)


def configure_far(plan, node):
    """The same for the far ranks' namespace, once configure_node is done."""
    batch("ip", ["link set lo up", *_addresses(far_data_address(node), far_management_address(node))])
    slow = _far_rate(plan) if plan.far_direction == "both" else "none"
    _limit("eth0", plan.second_nic or slow, plan)


def _far_rate(plan):
    return f"{plan.far_mbit:g}mbit"


def connect_sites(plan):
    """Links between sites. Returns the relay's arguments, one per link; none without a relay.

    Two sites share one link. More sites hang on a core bridge by one link each; there a message crosses two
    links, so each delays by half. Both ends of every link are shaped.
    """
    if plan.sites == 1:
        return []
    ends = [("site0", "site1")] if plan.sites == 2 else [(f"site{s}", "core") for s in range(plan.sites)]
    delay_us = plan.delay_us / (1 if plan.sites == 2 else 2)
    relayed = []
    for number, bridges in enumerate(ends):
        near, far = f"u{number}a", f"u{number}b"
        if plan.has_relay:
            cables = [(near, f"r{number}a"), (far, f"r{number}b")]
            relayed.append(f"r{number}a:r{number}b:{delay_us:g}:{plan.relay_mbit:g}:{plan.queue_bytes * 4}")
        else:
            cables = [(near, far)]
        lines = []
        for one, other in cables:
            lines += [f"link add {one} mtu {plan.mtu} type veth peer name {other} mtu {plan.mtu}",
                      f"link set {one} up", f"link set {other} up"]
        lines += [f"link set {end} master {bridge}" for end, bridge in zip((near, far), bridges)]
        batch("ip", lines)
        for cable in cables:
            for end in cable:
                kernel.offloads_off(end)
        shaping = _shape(near, plan.uplink, plan) + _shape(far, plan.uplink, plan)
        if shaping:
            batch("tc", shaping)
    return relayed


def change_link(plan, node, state):
    """The cable between a node and its site, seen from the fabric: `whole`, `cut` (all that arrives at the site's end
    vanishes, as if in a dead switch) or `lossy` (one packet in 16 does, each way)."""
    cable = f"d{node}"
    batch("ip", [f"link set {cable} nomaster" if state == "cut" else
                 f"link set {cable} master site{plan.site_of(node)}"])
    with contextlib.suppress(UserError):  # there is none
        batch("tc", [f"qdisc del dev {cable} clsact"])
    if state == "lossy":
        with contextlib.suppress(UserError):  # there is one already
            batch("ip", ["link add lost type bridge", "link set lost up"])
        # TCP counts a connection's packets in the header: what is sent again has another number. 0 is what has none.
        lose = "u32 match u16 0x0005 0x000f at 4 action mirred egress redirect dev lost"
        batch("tc", [f"qdisc add dev {cable} clsact",
                     *(f"filter add dev {cable} {way} protocol ip {lose}" for way in ("ingress", "egress"))])


def link_state(plan, node):
    """How such a cable is, and packets: what the node has sent and been sent over it, and what it has lost while
    `lossy`. What arrives at the site's end while it is `cut` counts as sent."""
    cable = f"d{node}"
    link = _ask("ip", "-statistics", "link", "show", "dev", cable)[0]
    filters = []
    for way in ("ingress", "egress"):
        with contextlib.suppress(UserError):  # there is none
            filters += _ask("tc", "-statistics", "filter", "show", "dev", cable, way)
    return {"state": "cut" if "master" not in link else "lossy" if filters else "whole",
            "from_node": link["stats64"]["rx"]["packets"], "to_node": link["stats64"]["tx"]["packets"],
            "lost": lost_packets(filters)}


def lost_packets(filters):
    """By tc's filters of both ways, of which it may show each twice."""
    actions = {action["index"]: action["stats"]["packets"]
               for found in filters for action in found.get("options", {}).get("actions", ())}
    return sum(actions.values())
