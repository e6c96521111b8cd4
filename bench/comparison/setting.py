"""Where ranks are placed: by bench/cluster or, under the user's launcher, by collective_latency itself."""


def unequal(slots):
    """Ranks on every node: some have fewer, by the rule of collective_latency --order unequal."""
    return tuple(count - min(node % 3 * max(1, count // 4), count - 1) for node, count in enumerate(slots))


class OnCluster:
    def __init__(self, cluster):
        self.runner = cluster

    def places(self, order):
        """Options of `cluster run`."""
        if order != "unequal":
            return ("--order", order)
        return ("--order", "block", "--per-node", ",".join(map(str, unequal(self.runner.plan.slots))))

    def program_options(self, _order):
        return ()


class ByLauncher:
    def __init__(self, launcher):
        self.runner = launcher

    def places(self, _order):
        return ()

    def program_options(self, order):
        return ("--order", order)
