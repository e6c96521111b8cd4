"""Who is compared: Open MPI's components, the plugin with each engine and with fewer levels, mock-ups."""

from measuring import competitors, operations

OURS = "strata"
COMPOSED = "composed"
_BLOCKED = ("allgather", "allgatherv", "allreduce")
ENGINES = {  # and what each can do
    "tree": tuple(operations.ALL),
    "ring": _BLOCKED,
    "lanes": ("bcast", *_BLOCKED),
    "levels": tuple(operations.ALL),
}
_SHALLOW = {"nodes": ("node", "strata that sees nodes alone"), "flat": ("none", "strata that sees no levels")}
_MOCKUPS = {"hierarchical": "through one leader per node, by public MPI (over tuned)",
            "lane": "through all ranks of a node at once, by public MPI (over tuned)"}
NAMES = ("tuned", "han", "basic", *_MOCKUPS, OURS, *ENGINES, *_SHALLOW, COMPOSED)
# Those of the gate: what a user has without the plugin or could write, and whether our levels are worth it.
GATE = ("tuned", "han", *_MOCKUPS, OURS, *_SHALLOW, COMPOSED)


def make(names, plugin_folder, parameters):
    """In the order of NAMES. `parameters`: of the plugin, by name without coll_strata_."""
    def ours(name, description, **more):
        return competitors.strata(plugin_folder, {**parameters, **more}, name, description)

    made = [competitors.tuned(), competitors.han(), competitors.basic()]
    made += [competitors.mockup(name, text) for name, text in _MOCKUPS.items()]
    made.append(ours(OURS, "Open MPI with the plugin (coll/strata)"))
    made += [ours(name, f"strata, its engine {name} throughout") for name in ENGINES]
    made += [ours(name, text, hierarchy=levels) for name, (levels, text) in _SHALLOW.items()]
    made.append(competitors.mockup(COMPOSED, "of operations that do at least as much, by strata",
                                   ours(OURS, "")))
    return tuple(one for one in made if one.name in names)


def can(name, operation, order):
    if name in ENGINES:
        return operation in ENGINES[name]
    if name in operations.MOCKED:
        return operation in operations.MOCKED[name] and not (name == "lane" and order == "unequal")
    return True


def in_operation(competitor, operation):
    """An engine is chosen operation by operation."""
    if competitor.name not in ENGINES:
        return competitor
    return competitors.told(competitor, {f"coll_strata_{operation}_algorithm": competitor.name})
