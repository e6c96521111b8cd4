"""Links of the cluster: bridges and virtual cables (ip), rate limits (tc), offloads.

Every function acts on the network namespace of its caller. Names: in the fabric, site<s> are the data
bridges, core joins more than two sites, mgmt is the bridge of the management network, d<i> and m<i> are the
ends of node i's cables. In a node, eth0 is the NIC and mg0 its management interface.

A node with far ranks has a second network namespace for them. The node's eth0 is then a bridge between its
NIC (nic) and the path to that namespace (far); the other end of that path is called eth0, too. That
namespace's management interface hangs from f<i> of the fabric. If the far ranks have their own NIC instead,
their namespace's eth0 hangs from e<i> of the fabric. The bridge lost receives the packets that lossy links
drop.
"""

import contextlib
import json
import os
import shutil
import subprocess

from . import kernel
from .plan import UserError, data_address, far_data_address, far_management_address, management_address

BURST_BYTES = 15000
# A full NIC blocks its senders, but not across a border between network namespaces. Behind such a border a
# queue has to hold what TCP sends at once, or far ranks would lose packets that near ranks would hold back.
_FAR_QUEUE_FACTOR = 16


def find_program(name):
    """Returns the path of a program; looks in Debian's administrator folders, too. None if absent."""
    return shutil.which(name, path=os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin")


def batch(program, lines):
    """Runs lines through `ip -batch` or `tc -batch`."""
    done = subprocess.run([find_program(program) or program, "-batch", "-"], input="\n".join(lines) + "\n",
                          text=True, capture_output=True, check=False)
    if done.returncode:
        raise UserError(f"{program} failed: {done.stderr.strip() or done.stdout.strip()}")


def _ask(program, *arguments):
    """Returns the output of `ip -json` or `tc -json`."""
    done = subprocess.run([find_program(program) or program, "-json", *arguments], text=True, capture_output=True,
                          check=False)
    if done.returncode:
        raise UserError(f"{program} failed: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout or "[]")


def disable_ipv6():
    """Keeps router discovery and similar traffic off the links; does nothing if the kernel has no IPv6."""
    for scope in ("all", "default"):
        try:
            with open(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass


def _shape(device, rate, plan, queue_factor=1):
    """Returns tc lines that limit a device's outgoing traffic. They use htb, which accepts frames longer
    than its burst."""
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
    """Turns offloads off and limits a device's outgoing traffic."""
    kernel.offloads_off(device)
    shaping = _shape(device, rate, plan, queue_factor)
    if shaping:
        batch("tc", shaping)


def connect_node(plan, node, pid, far_pid=None):
    """Makes the cables from the fabric to a node. The pids give its namespace and that of its far ranks."""
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
    """Sets addresses and rate limits inside a node, after its cables exist."""
    lines = ["link set lo up"]
    one_nic = far_pid is not None and not plan.second_nic
    if one_nic:
        lines += [f"link add eth0 mtu {plan.mtu} type bridge", f"link set eth0 mtu {plan.mtu}",
                  "link set nic master eth0 up",
                  f"link add far mtu {plan.mtu} type veth peer name eth0 mtu {plan.mtu} netns {far_pid}",
                  "link set far master eth0 up"]
    batch("ip", lines + _addresses(data_address(node), management_address(node)))
    if not one_nic:
        _limit("eth0", plan.nic, plan)
    else:
        kernel.offloads_off("eth0")  # also of the bridge, which would hand large packets to the limiters
        _limit("nic", plan.nic, plan, _FAR_QUEUE_FACTOR)
        _limit("far", _far_rate(plan), plan, _FAR_QUEUE_FACTOR)


def configure_far(plan, node):
    """Does the same for the far ranks' namespace, after configure_node."""
    batch("ip", ["link set lo up", *_addresses(far_data_address(node), far_management_address(node))])
    slow = _far_rate(plan) if plan.far_direction == "both" else "none"
    _limit("eth0", plan.second_nic or slow, plan)


def _far_rate(plan):
    return f"{plan.far_mbit:g}mbit"


def connect_sites(plan):
    """Makes the links between sites. Returns the relay's arguments, one per link; none without a relay.

    Two sites share one link. More sites each hang from a core bridge by one link; a message then crosses
    two links, so each delays by half. Both ends of every link are shaped.
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
    """Changes the cable between a node and its site, from the fabric: `whole`, `cut` (the site's end drops
    all packets, as a dead switch does) or `lossy` (it drops one packet in 16 each way)."""
    cable = f"d{node}"
    batch("ip", [f"link set {cable} nomaster" if state == "cut" else
                 f"link set {cable} master site{plan.site_of(node)}"])
    with contextlib.suppress(UserError):  # there is none
        batch("tc", [f"qdisc del dev {cable} clsact"])
    if state == "lossy":
        with contextlib.suppress(UserError):  # it exists already
            batch("ip", ["link add lost type bridge", "link set lost up"])
        # TCP's header counts a connection's packets, so that a retransmission has another number. 0 marks
        # other traffic.
        lose = "u32 match u16 0x0005 0x000f at 4 action mirred egress redirect dev lost"
        batch("tc", [f"qdisc add dev {cable} clsact",
                     *(f"filter add dev {cable} {way} protocol ip {lose}" for way in ("ingress", "egress"))])


def link_state(plan, node):
    """Returns the cable's state and its packets: those sent by and to the node, and those lost while it was
    `lossy`. Packets that arrive at the site's end while it is `cut` count as sent."""
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
    """Reads tc's filters of both ways; tc may list each twice."""
    actions = {action["index"]: action["stats"]["packets"]
               for found in filters for action in found.get("options", {}).get("actions", ())}
    return sum(actions.values())
