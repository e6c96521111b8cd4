"""Link faults during a job, and the proof that they took effect: no packet passes a cut link, a lossy one has lost
some."""
import json
import os
import threading
import time

from nodes import Failure

# A reached kernel refuses this port: no process listens there.
KNOCK = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 9), float(sys.argv[2]))
except ConnectionRefusedError:
    print("reached")
except OSError as error:
    print(error)
"""
PATIENCE = 1.0  # timeout of an answer
STANDSTILL = 0.5


class LinkChanger(threading.Thread):
    """Waits until the program reports calls in progress, then changes the link of a node. `complaints`: why the
    fault had no effect."""

    def __init__(self, nodes, fault, node, folder, operations):
        super().__init__()
        self.nodes, self.fault, self.node = nodes, fault, node
        self.folder, self.operations = folder, operations
        self.over = threading.Event()
        self.complaints = []

    def run(self):
        try:
            for operation in self.operations:
                if not self.spoil(operation):
                    return
        except Failure as failure:
            self.complaints.append(str(failure))

    def end(self):
        """Restores the link after the job."""
        self.over.set()
        self.join()
        self.change("whole")

    def change(self, how):
        self.nodes.call("link", f"n{self.node}", how)

    def spoil(self, operation):
        """Returns whether there may be another operation."""
        ready = os.path.join(self.folder, f"ready.{operation}")
        while not os.path.exists(ready):
            if self.over.wait(0.02):
                return False
        if not self.reaches():
            self.complaints.append(f"the link of n{self.node} did not work before it was to be {self.fault.link}")
        self.change(self.fault.link)
        with open(os.path.join(self.folder, f"struck.{operation}"), "w", encoding="ascii"):
            pass
        self.watch()
        if self.fault.seconds is None:
            return False
        self.change("whole")
        os.unlink(ready)
        return True

    def watch(self):
        """Keeps the fault for its duration. A repaired link resets its loss counters."""
        before = self.counts()
        if self.fault.link == "cut" and self.reaches():
            self.complaints.append(f"the link was never cut: n{self.node} answers")
        self.over.wait(self.fault.seconds)
        if self.fault.link == "cut" and self.fault.seconds is not None and not self.stands_still():
            self.complaints.append("the link was never cut: every rank goes on")
        after = self.counts()
        come = after["to_node"] - before["to_node"]
        if self.fault.link == "cut" and come > 0:
            self.complaints.append(f"the link was never cut: {come} packets have come through")
        if self.fault.link == "lossy" and after["lost"] == 0:
            self.complaints.append("the link was never lossy: it has lost nothing")

    def counts(self):
        return json.loads(self.nodes.call("link", f"n{self.node}", "show"))

    def reaches(self):
        """Returns whether another node gets an answer over the link."""
        other = (self.node + 1) % len(self.nodes.slots)
        address = f"10.1.0.{self.node + 1}"
        return "reached" in self.nodes.call("exec", f"n{other}", "--", "python3", "-c", KNOCK, address, PATIENCE)

    def stands_still(self):
        """Returns whether some rank has stopped making calls; messages in flight still arrive."""
        for _ in range(10):
            before = self.progress()
            if self.over.wait(STANDSTILL):
                return True  # ended for another reason, which another check reports
            if any(self.progress().get(rank) == calls for rank, calls in before.items()):
                return True
        return False

    def progress(self):
        found = {}
        for name in os.listdir(self.folder):
            if name.startswith("progress."):
                with open(os.path.join(self.folder, name), encoding="ascii") as file:
                    found[name] = file.read()
        return found


class Claimer(LinkChanger):
    """Only reports that it has changed the link."""

    def change(self, how):
        pass
