"""Where ranks spent their time, from the files of libmpi_profile.so: means over ranks, in seconds."""

import dataclasses
import json
import os


@dataclasses.dataclass(frozen=True)
class Function:
    """Calls of an MPI function per rank."""

    calls: float = 0
    seconds: float = 0
    bytes: float = 0
    sizes: dict = dataclasses.field(default_factory=dict)  # by least bytes of a call: (calls, seconds)


@dataclasses.dataclass(frozen=True)
class Profile:
    seconds: float  # from the start of a rank to its MPI_Finalize
    functions: dict  # by name without MPI_

    @property
    def in_mpi(self):
        return sum(function.seconds for function in self.functions.values())

    def of(self, name):
        return self.functions.get(name, Function())

    @staticmethod
    def read(folder, ranks):
        """Reads all profiles. Raises ValueError if a rank's profile is missing or incomplete."""
        parts = []
        for rank in range(ranks):
            try:
                with open(os.path.join(folder, f"rank-{rank}.json"), encoding="utf-8") as file:
                    parts.append(_of_rank(json.load(file)))
            except (FileNotFoundError, json.JSONDecodeError) as error:
                raise ValueError(f"rank {rank} wrote no profile: {error}") from error
        return mean(parts)

    def to_json(self):
        return dataclasses.asdict(self)


def _of_rank(data):
    return Profile(data["seconds"], {
        name: Function(one["calls"], one["seconds"], one["bytes"],
                       {int(size): (part["calls"], part["seconds"]) for size, part in one["from"].items()})
        for name, one in data["functions"].items()})


def _mean_function(functions):
    count = len(functions)
    sizes = {}
    for function in functions:
        for size, (calls, seconds) in function.sizes.items():
            before = sizes.get(size, (0, 0))
            sizes[size] = (before[0] + calls / count, before[1] + seconds / count)
    return Function(sum(one.calls for one in functions) / count, sum(one.seconds for one in functions) / count,
                    sum(one.bytes for one in functions) / count, sizes)


def mean(profiles):
    """Returns the mean over several ranks or runs. A function that one of them did not call counts 0 there."""
    names = dict.fromkeys(name for profile in profiles for name in profile.functions)
    return Profile(sum(profile.seconds for profile in profiles) / len(profiles),
                   {name: _mean_function([profile.of(name) for profile in profiles]) for name in names})
