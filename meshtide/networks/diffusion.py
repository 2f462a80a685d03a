"""The layer of TIDE, which diffuses features over a graph or surface for a learned time.

With L an operator, H_t = exp(-t L) is heat after a time t and T_t = L H_t its negative derivative in time (eq. 6 of the
paper); the layer is σ(T_t(U) W) (eq. 7). Two operators, one layer:

- `graph`: the paper's L̃ = D^-½(A+I)D^-½ (eq. 8). It has its smooth eigenvectors at the *largest* eigenvalues μ, so that
  exp(-t L̃) smooths only for t < 0. Here t ≥ 0 and heat is exp(-t (1 - μ)), which cannot overflow. Then L̃ itself is
  applied, so that at t = 0 the layer is a GCN layer (Remark 1).
- `surface`: exp(-t λ) and t λ exp(-t λ), its negative derivative in log time, both in the eigenbasis of the robust
  Laplacian with its mass. It sees the shape and not the triangulation.

How far the graph's layer is the paper's: at the paper's time -t, exp(t μ) = e^t exp(-t (1 - μ)), so that its modified
heat operator (eq. 10), Φ((exp(t μ) - α) ⊙ Φᵀ u) + β u, is e^t times

    Φ((exp(-t (1 - μ)) - α e^-t) ⊙ Φᵀ u) + β e^-t u.

W absorbs the factor e^t of each channel. What is left is ours with α e^-t and β e^-t in place of α and β. With one time
for all channels (TIDE-s) these are two numbers again and both layers can be the same functions. With a time a channel
(TIDE-m) they are two numbers for every channel, and ours, like the paper's, has two for all of them: the two layers are
then different families, which meet where α = β = 0 or all times are equal. `heat="printed"` is the paper's own,
exp(-t μ) at its time t. Both smooth at the same times but for the sign; the factor is one more way to learn.

Times are in units of a surface of area 1 for both operators (see MeshGraph.rates).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.implicit import implicit_heat
from meshtide.networks.sparse import symmetric_product
from meshtide.spectral.operators import OPERATORS
from meshtide.words import known

MOST_SHARPENING = 10.0  # of e: what a time below 0 may multiply a coefficient by; learned ones stay below 3
TIMES, METHODS, BEGINNINGS = ("channel", "shared"), ("spectral", "implicit"), ("spread", "zero")
HEATS = ("smoothing", "printed")


class TimeDerivativeDiffusion(nn.Module):
    """Diffuse every channel for its own learned time (`times="channel"`, TIDE-m) or all for one (`"shared"`, TIDE-s).

    The modified heat operator (eq. 10 of the paper) is Φ((exp(-t λ) - α) ⊙ Φᵀ M u) + β u with learned α and β. Two ways
    for the learned numbers to begin:

    - `spread`: times over orders of magnitude. On a graph α = β = 1 at first: nothing that the truncated basis cannot
      hold is lost, and at t = 0 it is the identity. On a surface α = β = 0: pure heat, whatever the meshing.
    - `zero`: α = β = t = 0, as in the paper, so that at first a signal is what the basis holds of it. Times are learned
      as they are. They may fall below 0, which sharpens: with the paper's sign of t on a graph that is where t > 0 is.

    With a `fixed_time` no time is learned. `heat` says which heat on a graph is: "smoothing", exp(-t (1 - μ)), or, as
    the paper has it, "printed", exp(-t μ).
    """

    def __init__(
        self,
        channels: int,
        *,
        operator: str = "surface",
        times: str = "channel",
        method: str = "spectral",
        beginning: str = "spread",
        initial_times: tuple[float, float] = (1e-3, 0.2),
        fixed_time: float | None = None,
        heat: str = "smoothing",
    ) -> None:
        super().__init__()
        self.operator = known(operator, OPERATORS, "operator")
        self.method = known(method, METHODS, "method")
        self.beginning = known(beginning, BEGINNINGS, "beginning")
        count = channels if known(times, TIMES, "times") == "channel" else 1
        self.fixed_time = fixed_time
        self.printed = known(heat, HEATS, "heat") == "printed"
        if self.printed and (operator, method, beginning) != ("graph", "spectral", "zero"):
            raise InputError("`heat=printed` is the paper's: the graph operator, `method=spectral`, `beginning=zero`")
        if fixed_time is None:
            self._begin_times(count, initial_times)
        start = 1.0 if operator == "graph" and beginning == "spread" else 0.0
        self.alpha = nn.Parameter(torch.tensor(start))
        self.beta = nn.Parameter(torch.tensor(start))

    def _begin_times(self, count: int, initial_times: tuple[float, float]) -> None:
        if self.beginning == "zero":
            self.time = nn.Parameter(torch.zeros(count))
            return
        # Positive by exp, which lets a time cross orders of magnitude; evenly spread, so that no seed is unlucky.
        low, high = (math.log(time) for time in initial_times)
        spread = torch.linspace(low, high, count) if count > 1 else torch.tensor([(low + high) / 2])
        self.log_time = nn.Parameter(spread)

    @property
    def diffusion_time(self) -> Tensor:
        """The times, (channels,) or (1,)."""
        if self.fixed_time is not None:
            return self.alpha.new_full((1,), self.fixed_time)
        return self.log_time.exp() if self.beginning == "spread" else self.time

    @property
    def streams(self) -> int:
        """How many signals a channel becomes: 1 on a graph, heat and derivative on a surface."""
        return 1 if self.operator == "graph" else 2

    def forward(self, u: Tensor, graph: MeshGraph) -> Tensor:
        """Diffuse (V, C): on a graph L̃ H̃_t(u), (V, C); on a surface H̃_t(u) and t T_t(u) side by side, (V, 2C)."""
        self.check(graph)
        if self.method == "implicit":
            heat = self.heat(u, graph)
            if self.operator == "graph":
                return symmetric_product(graph.adjacency, heat)
            return torch.cat([heat, u - heat], dim=1)  # t L (I + t L)^-1 u = u - (I + t L)^-1 u
        smooth = graph.expand(self.coefficients(graph.project(u), graph))
        if self.operator == "graph":
            return torch.add(smooth, symmetric_product(graph.adjacency, self.beta * u))
        return smooth + nn.functional.pad(self.beta * u, (0, u.shape[1]))

    def check(self, graph: MeshGraph) -> None:
        """Refuse a graph that was prepared with another operator."""
        if graph.recipe.operator != self.operator:
            raise InputError(
                f"{graph.name}: was prepared with the {graph.recipe.operator} operator, and the network has the "
                f"{self.operator} one; prepare it with `operator={self.operator}`"
            )

    def coefficients(self, spectrum: Tensor, graph: MeshGraph) -> Tensor:
        """What diffusion makes of the coefficients of a signal, (K, C), leaving β u out: (K, C), or (K, 2C)."""
        rate = self._rate(graph)
        heat = torch.exp(-rate)
        if self.operator == "graph":
            # L̃ Φ = Φ μ, so that only β u needs the sparse product.
            return graph.values[:, None] * (heat - self.alpha) * spectrum
        return torch.cat([(heat - self.alpha) * spectrum, rate * heat * spectrum], dim=1)

    def _rate(self, graph: MeshGraph) -> Tensor:
        """t λ, (K, C) or (K, 1), and of printed heat t μ."""
        rates = graph.values if self.printed else graph.rates
        # exp(-60) is nothing next to 1. Beyond 87, float32 becomes denormal, which a CPU multiplies 100 times slower.
        return (rates[:, None] * self.diffusion_time).clamp(-MOST_SHARPENING, 60.0)

    def heat(self, u: Tensor, graph: MeshGraph) -> Tensor:
        """H̃_t(u), (V, C); `implicit` is one Euler step, (I + t L)^-1 u.

        That one has the whole spectrum, so that eq. 10 has nothing to make up for.
        """
        self.check(graph)
        if self.method == "implicit":
            times = self.diffusion_time
            # A step back in time has no solution. The gradient passes, so that a time at 0 can become positive again.
            return implicit_heat(u, (times + (times.clamp(min=0) - times).detach()).expand(u.shape[1]), graph)
        return graph.expand((torch.exp(-self._rate(graph)) - self.alpha) * graph.project(u)) + self.beta * u
