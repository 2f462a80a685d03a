"""Other shapes with the same labels: a labelled mesh stretched and swollen, part by part.

A network that saw people only must not take a person's proportions for the meaning of "head" or "leg". Bending does not
help, as heat does not notice it; what helps is a change of the surface's own metric:

- `stretch` scales the coordinates along three random perpendicular axes.
- `swell` multiplies lengths by exp(u), where u is a random constant on every connected piece of a part, smoothed by one
  implicit heat step. In two dimensions a conformal change leaves the cotangent matrix as it is and multiplies the
  mass by exp(2u), so that no new surface has to be built.
- `alike` adds to u a random smooth function of how a place looks, of its heat kernel signature. So what looks alike
  grows alike, as left and right limbs do, and stays what it was to its twins (see meshtide.spectral.twins).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.eigensolver import smallest_eigenpairs
from meshtide.spectral.gradients import basis_gradients
from meshtide.spectral.preparation import Preparation, preparation_of
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import log_hks
from meshtide.spectral.spectrum import Eigenbasis, Laplacian, eigenbasis, laplacian


@dataclass(frozen=True)
class Augmentation:
    """How far shapes may change: standard deviations of the logarithm of lengths, and the reach of smoothing.

    Of networks trained on relatives of people, those with these defaults did best on generated four-legged animals.
    """

    stretch: float = 0.3  # along each of three axes
    swell: float = 0.5  # of every part, wherever it occurs
    swell_piece: float = 0.3  # of every connected piece of a part on its own, on top of that
    alike: float = 0.0  # of what looks alike, on top of both
    smooth: float = 0.02  # time of the heat step that blends pieces, on a surface of area 1
    other: Augmentation | None = None  # how every other relative is made instead

    @property
    def ways(self) -> tuple[Augmentation, ...]:
        """The ways that relatives of a shape are made in, by turns."""
        return (self,) if self.other is None else (replace(self, other=None), *self.other.ways)

    def scaled(self, factor: float) -> Augmentation:
        """The same with every change of length so many times as strong."""
        names = ("stretch", "swell", "swell_piece", "alike")
        other = None if self.other is None else self.other.scaled(factor)
        return replace(self, other=other, **{name: factor * getattr(self, name) for name in names})


# For networks that read twins: in every other relative what looks alike grows alike, so that it has the shape's twins.
WITH_TWINS = Augmentation(other=Augmentation(stretch=0.2, swell_piece=0.05, alike=0.35))
LOOK_TIMES = (5e-3, 0.03, 0.2)  # of the signature that tells how a place looks: a detail, a limb, the body
LOOK_PAIRS = 64  # eigenpairs that these times need
WAVES = 8  # cosines of a random function


@dataclass(frozen=True, eq=False)
class Relative:
    """A stretched mesh, how much lengths grew on it, and what `prepare` would give for the two together."""

    mesh: Mesh
    growth: FloatArray  # (V,), logarithm of the length factor; the surface has area 1 before and after
    preparation: Preparation

    def gradients(self) -> NDArray[np.float32]:
        """The derivatives of the eigenvectors along two tangents of every vertex, (2, V, K)."""
        return basis_gradients(self.mesh, self.preparation.vectors, self.growth)


def augmented(
    mesh: Mesh,
    labels: Labels,
    recipe: GraphRecipe,
    how: Augmentation,
    random: np.random.Generator,
    looks: FloatArray | None = None,
) -> Relative:
    """A random relative of this mesh; labels belong to the same elements as before.

    `looks` are those of the mesh where they are known, which spares an eigenbasis.
    """
    if how.alike and looks is None:
        looks = looks_of(eigenbasis(mesh, LOOK_PAIRS))
    relative = stretched(mesh, how.stretch, random)
    operator = laplacian(relative, "surface")
    growth = random_growth(relative, labels.to_vertices(relative).values, operator, how, random, looks)
    basis = swollen_basis(operator, growth, recipe.k)
    return Relative(relative, growth, preparation_of(relative, basis, recipe, operator, growth))


def stretched(mesh: Mesh, strength: float, random: np.random.Generator) -> Mesh:
    """The mesh with coordinates scaled along three random perpendicular axes."""
    axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
    factors = np.exp(strength * random.normal(size=3))
    return Mesh(mesh.vertices @ (axes * factors) @ axes.T, mesh.faces, mesh.name, mesh.origin)


def looks_of(basis: Eigenbasis) -> FloatArray:
    """How every place looks: three numbers of mean 0, deviation 1 and no correlation over the surface, (V, 3)."""
    signature = log_hks(basis, LOOK_TIMES)
    share = basis.mass / basis.mass.sum()
    signature = signature - share @ signature
    spread = (signature * share[:, None]).T @ signature + 1e-6 * np.eye(len(LOOK_TIMES))
    # Cholesky and not principal axes, whose signs would be chance.
    return np.asarray(np.linalg.solve(np.linalg.cholesky(spread), signature.T).T)


def random_look(looks: FloatArray, random: np.random.Generator) -> FloatArray:
    """A random smooth function of how a place looks, of deviation about 1, (V,)."""
    directions = random.normal(size=(looks.shape[1], WAVES))
    phases = random.uniform(0, 2 * np.pi, WAVES)
    return np.asarray(np.cos(looks @ directions + phases) @ random.normal(size=WAVES) * (2 / WAVES) ** 0.5)


def random_growth(
    mesh: Mesh,
    parts: IntArray,
    operator: Laplacian,
    how: Augmentation,
    random: np.random.Generator,
    looks: FloatArray | None = None,
) -> FloatArray:
    """The logarithm of the length factor at every vertex, (V,), which leaves the area as it is."""
    edges = mesh.edges()
    inside = edges[parts[edges[:, 0]] == parts[edges[:, 1]]]
    ones = np.ones(len(inside))
    graph = sparse.coo_array((ones, (inside[:, 0], inside[:, 1])), shape=(len(parts), len(parts)))
    pieces, piece_of = connected_components(graph, directed=False)
    by_part = how.swell * random.normal(size=parts.max() + 2)
    by_piece = how.swell_piece * random.normal(size=pieces)
    growth = by_part[parts] + by_piece[piece_of]
    if how.alike and looks is not None:
        growth = growth + how.alike * random_look(looks, random)
    used = operator.mass > 0
    system = sparse.csc_array(sparse.diags_array(np.where(used, operator.mass, 1.0)) + how.smooth * operator.matrix)
    blended = np.asarray(splu(system).solve(operator.mass * growth))
    area = operator.mass @ np.exp(2 * blended) / operator.mass.sum()
    return np.asarray(blended - 0.5 * np.log(area))


def swollen_basis(operator: Laplacian, growth: FloatArray, k: int) -> Eigenbasis:
    """The eigenbasis after lengths grew by exp(growth), scaled back to area 1."""
    mass = operator.mass * np.exp(2 * growth)
    mass = mass / mass.sum()
    used = np.flatnonzero(mass > 0)
    matrix = operator.matrix if len(used) == len(mass) else sparse.csc_array(operator.matrix[used][:, used])
    pairs = smallest_eigenpairs(matrix, mass[used], min(k, len(used)))
    vectors = np.zeros((len(mass), len(pairs.values)))
    vectors[used] = pairs.vectors
    components, _ = connected_components(matrix, directed=False)
    return Eigenbasis(pairs.values, vectors, mass, "surface", components)
