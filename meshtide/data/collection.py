"""Collections: the shapes of a data set or of a folder, with their labels, vocabularies and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from meshtide.data.card import Card, known_cards, load_card
from meshtide.data.finding import (
    WITHOUT_MESH,
    Problem,
    Shape,
    card_folders,
    card_shapes,
    chosen_category,
    count_findings,
    data_folder,
    generated_shapes,
    is_member,
    unlabelled,
    visible_files,
)
from meshtide.data.generated import FIGURES, figures_folder, make_figure_files
from meshtide.data.mirror import folder_of
from meshtide.data.shards.layout import is_shards
from meshtide.errors import InputError
from meshtide.labels.files import Sizes, parse_labels, place_on_mesh
from meshtide.labels.files.beside import labels_beside
from meshtide.labels.files.survey import Survey, survey_labels
from meshtide.labels.labels import Labels, Vocabulary
from meshtide.many.engine import HERE, Engine, run
from meshtide.mesh.files import READABLE, load_ready
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

if TYPE_CHECKING:
    from meshtide.data.shards.reading import Store

Maker = Callable[[Path], None]


@dataclass(frozen=True, eq=False)
class Collection:
    """Shapes with labels in the parts of one vocabulary."""

    name: str
    shapes: tuple[Shape, ...]
    vocabulary: Vocabulary
    vocabularies: Mapping[str, Vocabulary]
    splits: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what was assumed, for people to read
    findings: tuple[Problem, ...] = ()  # what was seen without reading a mesh
    survey: Survey = field(default_factory=Survey)
    card: Card | None = None
    maker: Maker | None = None  # makes the files of a shape that is generated
    store: Store | None = None  # has the shapes, prepared, where they come out of shards

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that labels of this collection have, in order."""
        return self.vocabulary.names

    def split(self, name: str) -> tuple[Shape, ...]:
        """The shapes of a split, or of several joined like "train+validation"; "all" is every shape."""
        chosen: dict[str, Shape] = {}
        for word in name.split("+"):
            if word != "all" and word not in self.splits:
                raise InputError(f"{self.name}: has no split '{word}'; there are {listed([*self.splits, 'all'])}")
            chosen |= {shape.name: shape for shape in (self.shapes if word == "all" else self.splits[word])}
        return tuple(chosen.values())

    def load(self, shape: Shape) -> tuple[Mesh, Labels | None]:
        """A shape's mesh, mended as `prepare` mends it, and its labels in this vocabulary on their own elements."""
        mesh, labels = self.load_raw(shape)
        return mesh, self.in_vocabulary(labels, shape)

    def load_raw(self, shape: Shape) -> tuple[Mesh, Labels | None]:
        """The same with the parts that the label files name."""
        if self.store is not None:
            unpacked = self.store.read(shape)
            return unpacked.mesh, unpacked.labels
        self._make_if_missing(shape)
        mesh = load_ready(shape.mesh_path)[0].renamed(shape.name)
        return mesh, None if shape.label_path is None else self._labels(shape.label_path, mesh)

    def in_vocabulary(self, labels: Labels | None, shape: Shape) -> Labels | None:
        """The labels of a shape in the parts of this vocabulary."""
        try:
            return None if labels is None else labels.mapped(self.vocabulary)
        except InputError as error:
            raise InputError(f"{shape.label_path}: {error}") from None

    def missing(self, shapes: Iterable[Shape]) -> list[Shape]:
        """Those of some shapes that are generated and were not yet; `load` makes them one by one."""
        return [shape for shape in shapes if self.maker is not None and not shape.mesh_path.is_file()]

    def _make_if_missing(self, shape: Shape) -> None:
        if self.maker is not None and not shape.mesh_path.is_file():
            self.maker(shape.mesh_path)

    def check(
        self,
        progress: Callable[[int, int], None] | None = None,
        *,
        shapes: Sequence[Shape] | None = None,
        engine: Engine = HERE,
    ) -> tuple[Problem, ...]:
        """Every file that does not fit, at once: reads each mesh and its labels and computes nothing.

        With `shapes` it is about those alone, and an `engine` says where the reading is done.
        """
        problems = list(self.findings)
        if shapes is not None:
            paths = {path for shape in shapes for path in (shape.mesh_path, shape.label_path)}
            problems = [problem for problem in problems if problem.path in paths]
        chosen = self.shapes if shapes is None else shapes
        found: dict[int, list[Problem]] = {}
        for index, said in run(self.without_shapes().check_shape, list(chosen), engine, _not_checked):
            found[index] = said
            if progress is not None:
                progress(len(found), len(chosen))
        return tuple(problems + [problem for index in sorted(found) for problem in found[index]])

    def without_shapes(self) -> Collection:
        """All that is needed to load a shape, and no list of them: this goes to other processes with each."""
        return replace(self, shapes=(), splits={}, findings=())

    def _labels(self, path: Path, mesh: Mesh) -> Labels:
        on = None if self.card is None else self.card.on
        contents = parse_labels(path, Sizes.of(mesh), on)
        base = self.survey.base_for(contents)
        return place_on_mesh(contents, mesh, base, None, on)

    def check_shape(self, shape: Shape) -> list[Problem]:
        """What does not fit of one shape's files."""
        try:
            if self.store is not None:
                self.load(shape)
                return []
            self._make_if_missing(shape)
            mesh = load_ready(shape.mesh_path)[0].renamed(shape.name)
        except InputError as error:
            return [_problem(shape.mesh_path, error)]
        problems = self._check_counts(shape, Sizes.of(mesh))
        if shape.label_path is not None:
            try:
                labels = self.in_vocabulary(self._labels(shape.label_path, mesh), shape)
                if labels is not None and labels.unlabelled == len(labels):
                    problems.append(Problem(shape.label_path, "labels nothing that is scored", serious=False))
            except InputError as error:
                problems.append(_problem(shape.label_path, error))
        return problems

    def _check_counts(self, shape: Shape, sizes: Sizes) -> list[Problem]:
        if self.card is None:
            return []
        wanted = (("vertices", self.card.vertices, sizes.file_vertices), ("faces", self.card.faces, sizes.file_faces))
        return [
            Problem(shape.mesh_path, f"has {found:,} {what}; the card says {count:,}, is it another version?")
            for what, count, found in wanted
            if count not in (None, found)
        ]


def open_collection(source: str | Path, *, data: str | Path | None = None, vocabulary: str | None = None) -> Collection:
    """Open a data set by its card's name ("faust", "shrec07:Vase"), a card's path, or a folder of meshes with labels.

    A known card's name comes before a folder of that name in the working directory; write "./faust" for the folder.
    "figures" are bodies that meshtide generates, each when it is first asked for, and keeps in its cache folder.
    A card's paths start at `data`, else at the environment's MESHTIDE_DATA, else beside a card that is given by path.
    In a folder the labels of x.obj stand in x.txt, x_labels.txt, x.seg, x.npy, x.npz, x.json or x.eseg, or else in the
    mesh files themselves. A folder of shards that `prepare --shards` wrote is the collection that was packed into it.
    The files of a folder at an address such as "s3://bucket/shapes" are copied into the cache folder first.

    >>> figures = open_collection("figures:hand")
    >>> figures.parts
    ('palm', 'finger')
    >>> {name: len(shapes) for name, shapes in figures.splits.items()}
    {'train': 200, 'validation': 8, 'test': 8}
    """
    name, _, category = str(source).partition(":")
    if isinstance(source, str) and name in known_cards():
        card = load_card(name)
        if card.name == FIGURES:
            return _figures(_from_card(card, category, figures_folder(), vocabulary, make_figure_files))
        return _from_card(card, category, data_folder(data, None), vocabulary)
    path = folder_of(source)
    if is_shards(path):
        from meshtide.data.shards.reading import open_shards

        return open_shards(path, vocabulary)
    if path.is_dir():
        return _from_folder(path, vocabulary)
    whole, mark, category = str(source).rpartition(".toml:")
    path = Path(f"{whole}.toml") if mark else path
    if path.suffix.lower() == ".toml":
        return _from_card(load_card(path), category if mark else "", data_folder(data, path.parent), vocabulary)
    raise InputError(
        f"'{source}' is neither a folder nor a card; known cards: {', '.join(known_cards())}; "
        "a folder of meshes or the path of a .toml card works as well"
    )


def _from_folder(folder: Path, vocabulary: str | None) -> Collection:
    files = visible_files(folder)
    meshes = [file for file in files if file.suffix.lower() in READABLE]
    if not meshes:
        raise InputError(f"{folder}: holds no mesh; wanted files that end in {', '.join(READABLE)}")
    stems = Counter(mesh.stem for mesh in meshes)
    beside = labels_beside(meshes, files)
    findings = [Problem(file, WITHOUT_MESH) for file in beside.without_mesh]
    shapes = []
    for mesh in meshes:
        name, labels = mesh.stem, beside.of[mesh]
        if stems[mesh.stem] > 1:
            name = mesh.name
            findings.append(Problem(mesh, f"is not the only '{mesh.stem}'; it is called '{name}' here", serious=False))
        if len(labels) > 1:
            both = " and ".join(label.name for label in labels)
            findings.append(Problem(mesh, f"has several label files, {both}, and none is used; keep one"))
        shapes.append(Shape(name, mesh, labels[0] if len(labels) == 1 else None))
    findings += unlabelled([shape for shape in shapes if len(beside.of[shape.mesh_path]) < 2])
    return _assemble(folder.resolve().name or str(folder), shapes, findings, None, {}, vocabulary)


def _from_card(
    card: Card, category: str, data: Path | None, vocabulary: str | None, maker: Maker | None = None
) -> Collection:
    if data is None:
        hint = f"; get the files: {card.obtain}" if card.obtain else ""
        raise InputError(f"{card.name}: where is the data? pass `data` or set MESHTIDE_DATA{hint}")
    shapes: list[Shape] = []
    findings: list[Problem] = []
    members: dict[str, list[Shape]] = {name: [] for name in card.splits}
    category = chosen_category(card, category)
    for kind, folder, numbers in card_folders(card, category, data, generated=maker is not None):
        if maker is not None and numbers is not None:
            found = generated_shapes(card, kind, folder, numbers)
        else:
            found = card_shapes(card, kind, folder, numbers, data)
        start = numbers.ranges[0][0] - 1 if card.categories and numbers else 0
        for name, split in card.splits.items():
            members[name] += [shape for shape in found if is_member(shape, split, start)]
        findings += count_findings(card, folder, found, numbers)
        shapes += found
    if not shapes:
        raise InputError(f"{data / card.folder}: holds no '{card.pattern}'; {card.obtain or 'is it the right folder?'}")
    findings += unlabelled(shapes)
    splits = {name: tuple(part) for name, part in members.items()}
    in_splits = Counter(shape.name for part in splits.values() for shape in part)
    twice = [name for name, count in in_splits.items() if count > 1]
    if twice:
        raise InputError(f"{card.place}: splits share the shapes {listed(twice)}; a shape belongs to one")
    name = f"{card.name}:{category}" if category else card.name
    return replace(_assemble(name, shapes, findings, card, splits, vocabulary), maker=maker)


def _figures(collection: Collection) -> Collection:
    """Generated figures; those of one kind have that kind's parts only."""
    kinds = {shape.kind for shape in collection.shapes}
    if len(kinds) > 1:
        return collection
    from meshtide.data.figures import parts_of

    own = Vocabulary.of("own", parts_of(str(kinds.pop())))
    taken = own if collection.vocabulary.name == "own" else collection.vocabulary
    return replace(collection, vocabulary=taken, vocabularies={**collection.vocabularies, "own": own})


def _assemble(
    name: str,
    shapes: list[Shape],
    findings: list[Problem],
    card: Card | None,
    splits: dict[str, tuple[Shape, ...]],
    vocabulary: str | None,
) -> Collection:
    """Join what was found with the vocabularies; where no card says which parts there are, the label files do."""
    survey = Survey()
    vocabularies = {} if card is None else dict(card.vocabularies)
    if card is None or not card.parts:
        places = [(shape.label_path, shape.mesh_path) for shape in shapes if shape.label_path is not None]
        survey = survey_labels(places, None if card is None else card.on)
        vocabularies.setdefault("own", Vocabulary.of("own", survey.parts))
    chosen = vocabulary or ("own" if card is None else card.vocabulary)
    if chosen not in vocabularies:
        raise InputError(f"{name}: has no vocabulary '{chosen}'; there are {listed(vocabularies)}")
    taken = vocabularies[chosen]
    return Collection(name, tuple(shapes), taken, vocabularies, splits, survey.notes, tuple(findings), survey, card)


def _not_checked(shape: Shape, sentence: str) -> list[Problem]:
    return [Problem(shape.mesh_path, sentence)]


def _problem(path: Path, error: InputError) -> Problem:
    return Problem(path, error.without(path))
