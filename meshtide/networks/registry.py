"""Networks by name: a record for each says how it is built, what it takes and what it usually has.

Training, comparison, model files and help texts read these records. Another package adds a network by a `NetworkRecord`
and an entry point of the same name in its pyproject.toml:

    [project.entry-points."meshtide.networks"]
    my-network = "my_package.my_module:RECORD"

Nothing here imports torch until a network is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from meshtide.errors import InputError
from meshtide.spectral.operators import OPERATORS
from meshtide.words import known, listed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from meshtide.networks.network import Network

GROUP = "meshtide.networks"  # of the entry points
USUAL_ARROWS = 16  # channels of them in a block of TIDE


@dataclass(frozen=True)
class Purpose:
    """What a network is built for, as far as its usual options depend on it."""

    operator: str = "surface"
    setting: str = "multi"  # "single", "multi" or "mixed", or "nodes" of a graph that is no mesh
    relatives: bool = False  # whether it learns from relatives of the training shapes too
    arrows: bool = False  # whether the features end with arrows


@dataclass(frozen=True)
class NetworkRecord:
    """All that the rest of meshtide knows of a network.

    `builder` names a class or function as "module:name"; it is called with the numbers of input channels and of parts,
    with `fixed` and the options as keywords and, if `takes_operator`, with the operator's name, and gives a `Network`.
    """

    name: str
    description: str  # a line for help texts
    builder: str
    options: tuple[str, ...]  # the keywords that a user may set
    fixed: Mapping[str, Any] = field(default_factory=dict)
    takes_operator: bool = False
    operators: tuple[str, ...] = OPERATORS  # those that graphs for it may be prepared with
    samples: bool = False  # whether it can learn from some of a shape's vertices, rather than needing every neighbour
    needs: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda options: ()  # options -> extras of `mesh_graph`
    usual_options: Callable[[Purpose], dict[str, Any]] = lambda purpose: {}  # what it has unless a user asks otherwise
    packages: tuple[str, ...] = ()  # what has to be installed beyond meshtide's own requirements

    def build(self, inputs: int, parts: int, *, operator: str = "surface", **options: Any) -> Network:
        """The network with fresh weights, for graphs that were prepared with an operator."""
        for option in options:
            if option not in self.options:
                raise InputError(f"{self.name} has no option {option!r}; it has {', '.join(self.options)}")
        if known(operator, OPERATORS, "operator") not in self.operators:
            raise InputError(
                f"{self.name} does not work with the {operator} operator; use "
                + " or ".join(f"`operator={word}`" for word in self.operators)
            )
        self.check_packages()
        module, _, name = self.builder.partition(":")
        make = getattr(import_module(module), name)
        given = {"operator": operator} if self.takes_operator else {}
        return _checked(make(inputs, parts, **self.fixed, **given, **options), self.name, parts)

    def check_packages(self) -> None:
        """Raise InputError if a package that the network needs is not installed."""
        for package in self.packages:
            if find_spec(package) is None:
                raise InputError(
                    f"the {self.name} network needs {package}; install it with: pip install {' '.join(self.packages)}"
                )


def _entry_points() -> EntryPoints:
    """What installed packages bring."""
    from importlib.metadata import entry_points  # takes a while to import, and few ask

    return entry_points(group=GROUP)


def network_names() -> tuple[str, ...]:
    """The names of all networks: meshtide's own, then those of installed packages, which are not imported for it."""
    return tuple(dict.fromkeys([*BUILT_IN, *sorted(entry.name for entry in _entry_points())]))


def network_record(name: str) -> NetworkRecord:
    """The record of a network; a name that meshtide has itself is never another package's."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    found = tuple(_entry_points().select(name=name))
    if not found:
        others = ", ".join(network_names())
        raise InputError(
            f"network {name!r} is not known; there are {others}; if another package brings it, install that package"
        )
    if len({entry.value for entry in found}) > 1:
        raise InputError(f"network {name!r} comes from several packages, {listed(map(_owner, found))}; keep one")
    return _loaded(found[0])


def build_network(name: str, inputs: int, parts: int, *, operator: str = "surface", **options: Any) -> Network:
    """A network by its name, for graphs that were prepared with an operator; `option_names` lists its options.

    >>> parameter_count(build_network("gcn", 16, 8, width=32))
    808
    """
    return network_record(name).build(inputs, parts, operator=operator, **options)


def option_names(name: str) -> tuple[str, ...]:
    """The options that `build_network` takes for a network."""
    return network_record(name).options


def needs(name: str, options: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """The extras a network with these options needs of `mesh_graph(…, extras=…)`."""
    return network_record(name).needs(options or {})


def usual_options(name: str, operator: str, setting: str, relatives: bool, arrows: bool = False) -> dict[str, Any]:
    """What a network is built with unless somebody asks for something else."""
    return network_record(name).usual_options(Purpose(operator, setting, relatives, arrows))


def reads_arrows(name: str) -> bool:
    """Whether a network can read the feature `arrows`."""
    return "arrows" in network_record(name).options


def networks_for(operator: str) -> tuple[str, ...]:
    """The networks of meshtide's own that work with an operator."""
    return tuple(name for name, record in BUILT_IN.items() if operator in record.operators)


def parameter_count(network: Network) -> int:
    """The number of learned numbers."""
    return sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)


def _loaded(entry: EntryPoint) -> NetworkRecord:
    try:
        record = entry.load()
    except Exception as error:  # whatever another package's import does
        raise InputError(f"network {entry.name!r} of {_owner(entry)!r} cannot be imported ({error})") from error
    if not isinstance(record, NetworkRecord) or record.name != entry.name:
        raise InputError(
            f"network {entry.name!r} of {_owner(entry)!r}: {entry.value} should be a NetworkRecord of that name"
        )
    return record


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def _checked(network: Any, name: str, parts: int) -> Network:
    """The network, if it has what every network must have."""
    from torch import nn

    from meshtide.networks.network import NEEDED

    lacking = [word for word in NEEDED if not hasattr(network, word)]
    if not isinstance(network, nn.Module) or lacking:
        raise InputError(f"the {name} network should be a torch.nn.Module with {', '.join(lacking or NEEDED)}")
    if network.parts != parts:
        raise InputError(f"the {name} network was built for {parts:,} parts and says that it has {network.parts!r}")
    checked: Any = network  # which mypy by now takes for any torch module
    result: Network = checked
    return result


def _tide_needs(options: Mapping[str, Any]) -> tuple[str, ...]:
    gradients = ("gradients",) if options.get("gradients") else ()
    return (*gradients, "stiffness") if options.get("method") == "implicit" else gradients


def _tide_options(purpose: Purpose) -> dict[str, Any]:
    """Gradients gained a point on validation shapes, and lost several among relatives.

    Dropout gained a tenth on the validation vertices of a single shape, which every step sees whole; samples of many
    shapes need none. On nodes of a graph
    that is no mesh the paper's plain block that begins at zero gained 27 points on validation nodes of Cora.
    """
    if purpose.setting == "nodes":
        return {"mlp": False, "beginning": "zero", "diffused_dropout": 0.5}
    if purpose.operator != "surface":
        return {}
    options: dict[str, Any] = {} if purpose.relatives else {"gradients": True}
    if purpose.arrows:
        options["arrows"] = USUAL_ARROWS
    return options | ({"dropout": 0.5} if purpose.setting == "single" else {})


def _diffusionnet_options(purpose: Purpose) -> dict[str, Any]:
    """A graph has no gradients. Without the MLP it gained 11 points on validation nodes of Cora (two seeds)."""
    if purpose.operator == "surface":
        return {}
    return {"gradients": False} | ({"blocks": 1, "mlp": False} if purpose.setting == "nodes" else {})


def _tide(name: str, times: str, description: str) -> NetworkRecord:
    return NetworkRecord(
        name,
        description,
        "meshtide.networks.tide:TideNet",
        (
            *("width", "blocks", "on", "mlp", "dropout", "diffused_dropout", "residual", "gradients"),
            *("method", "beginning", "initial_times", "fixed_time", "heat", "arrows", "second_reader"),
        ),
        fixed={"times": times},
        takes_operator=True,
        samples=True,
        needs=_tide_needs,
        usual_options=_tide_options,
    )


def _baseline(name: str, description: str, builder: str, options: tuple[str, ...] = (), **more: Any) -> NetworkRecord:
    own = f"meshtide.networks.baselines.{builder}"
    return NetworkRecord(name, description, own, ("width", "blocks", "on", "dropout", *options), **more)


BUILT_IN = {
    record.name: record
    for record in (
        _tide("tide-m", "channel", "TIDE, every channel with its own diffusion time"),
        _tide("tide-s", "shared", "TIDE, one diffusion time for all channels of a block"),
        _baseline("gcn", "graph convolutions along edges", "edges:GcnNet", ("feature_dropout",)),
        _baseline("gat", "graph attention along edges", "edges:GatNet", ("heads",)),
        _baseline(
            "grand",
            "graph neural diffusion along edges",
            "edges:GrandNet",
            ("heads", "time", "step"),
            packages=("torchdiffeq",),
        ),
        _baseline("gcnii", "deep graph convolutions that remember the first", "gcnii:GcniiNet", ("alpha", "theta")),
        _baseline("acm", "low, high and no pass of neighbours, weighed", "acm:AcmNet", ("feature_dropout",)),
        _baseline(
            "diffusionnet",
            "learned heat, and on a surface its gradients",
            "diffusionnet:DiffusionNet",
            ("gradients", "mlp", "initial_times"),
            takes_operator=True,
            samples=True,
            needs=lambda options: ("gradients",) if options.get("gradients", True) else (),
            usual_options=_diffusionnet_options,
        ),
    )
}
