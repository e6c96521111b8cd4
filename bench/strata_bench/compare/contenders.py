"""The contenders: Open MPI's components, the plugin with each engine and with fewer levels, mock-ups."""

from ..measuring import competitors, operations

OURS = "strata"
COMPOSED = "composed"
RIVAL = "tuned"  # the gate passes nothing without its times; others may be absent, as han is on one node
STOCK = (RIVAL, "han")  # components that a user has without the plugin
_BLOCKED = ("allgather", "allgatherv", "allreduce")
ENGINES = {  # the plugin's engines and the operations of each
    "tree": tuple(operations.ALL),
    "ring": _BLOCKED,
    "rails": ("bcast", *_BLOCKED),
    "levels": tuple(operations.ALL),
    # where all ranks share a node
    "node": ("barrier", "bcast", "reduce", "allreduce", "allgather", "allgatherv", "gather", "scatter"),
}
_DELEGATED = {"by-tuned": "tuned", "by-libnbc": "libnbc"}  # a component that carries out every level
_LEVELS = ("cluster", "switch", "node", "package", "numa", "l3", "l2", "core")
_SHALLOW = {"nodes": ("node", 2, "strata with nodes as its only level"), "flat": ("none", 1, "strata without levels")}
_MOCKUPS = {"hierarchical": "through one leader per node, by public MPI (over tuned)",
            "lane": "through all ranks of a node at once, by public MPI (over tuned)"}
_HYBRID = {"hybrid": "segments along a chain of leaders, each by tuned within the nodes, by public MPI"}
NAMES = ("tuned", "han", "basic", *_MOCKUPS, *_HYBRID, OURS, *ENGINES, *_DELEGATED, *_SHALLOW, COMPOSED)
# The gate's contenders: what a user has without the plugin or could write, and whether our levels pay.
GATE = (*STOCK, *_MOCKUPS, OURS, *_SHALLOW, COMPOSED)


def make(names, plugin_folder, parameters):
    """Returns contenders in the order of NAMES; all share a run. `parameters` are the plugin's, by name
    without coll_strata_."""
    together = competitors.together(plugin_folder, parameters)

    def ours(name, description, own=None, algorithm="mpi", **more):
        return competitors.own(together(name, description, "strata", "strata", algorithm, **more), own or {})

    made = [together("tuned", "Open MPI with its default component (coll/tuned)", "tuned"),
            together("han", "Open MPI with its two-level component (coll/han)", "han", "han"),
            together("basic", "Open MPI with its simplest component (coll/basic)", "basic", "^tuned,han,adapt,sm")]
    made += [together(name, text, "tuned", "", name) for name, text in (_MOCKUPS | _HYBRID).items()]
    made.append(ours(OURS, "Open MPI with the plugin (coll/strata)"))
    made += [ours(name, f"strata, its engine {name} throughout",
                  {f"{operation}_algorithm": name for operation in its}, engine=name) for name, its in ENGINES.items()]
    made += [ours(name, f"strata, every level by Open MPI's {component}",
                  {f"{operation}_algorithm": "levels" for operation in ENGINES["levels"]} |
                  {f"{operation}_level_algorithms": ",".join(f"{level}={component}" for level in _LEVELS)
                   for operation in ENGINES["levels"]}, engine="levels")
             for name, component in _DELEGATED.items()]
    made += [ours(name, text, {"hierarchy": levels}, levels=most) for name, (levels, most, text) in _SHALLOW.items()]
    made.append(ours(COMPOSED, "composed of operations that do at least as much, by strata", algorithm=COMPOSED))
    return tuple(one for one in made if one.name in names)


def can(name, operation, order):
    if name in ENGINES:
        return operation in ENGINES[name]
    if name in operations.MOCKED:
        return operation in operations.MOCKED[name] and not (name == "lane" and order == "unequal")
    return True
