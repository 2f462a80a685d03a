"""Small networks trained on painted vertices, and on the rest by asking that they decide there.

Few strokes leave most of a mesh to guesses. Where the network wavers between two parts, the entropy of its answer is
large; asking for a small one everywhere moves the borders between parts to where the surface changes (Grandvalet and
Bengio 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meshtide.networks.graph import MeshGraph
from meshtide.networks.tide import TideNet

if TYPE_CHECKING:
    from meshtide.viewer.state.proposal import Lesson

WIDTH, BLOCKS, DROPOUT = 32, 2, 0.3
LEARNING_RATE, WEIGHT_DECAY, LABEL_SMOOTHING = 1e-2, 1e-2, 0.05
DECISION = 0.5  # the weight of the entropy at the end
SAMPLE = 600  # painted vertices that a step learns from, and as many from anywhere, which the diffusion needs


def fitted(lessons: Sequence[Lesson], parts: int, networks: int, steps: int, seed: int) -> NDArray[np.float32]:
    """The mean probabilities, (V, parts), of several networks on the first lesson's mesh."""
    total = np.zeros((lessons[0].graph.num_vertices, parts))
    # What is random elsewhere in the program must not be changed by a proposal, nor change it.
    with torch.random.fork_rng(devices=[]):
        for number in range(networks):
            torch.manual_seed(1000 * seed + number)
            network = _fit(lessons, parts, steps)
            with torch.no_grad():
                total += torch.softmax(network(lessons[0].graph), dim=1).cpu().numpy()
    return (total / networks).astype(np.float32)


def _fit(lessons: Sequence[Lesson], parts: int, steps: int) -> TideNet:
    graphs = [lesson.graph for lesson in lessons]
    network = TideNet(graphs[0].num_channels, parts, width=WIDTH, blocks=BLOCKS, gradients=True, dropout=DROPOUT)
    network.normalise.measure(graphs)
    network.to(graphs[0].device)
    taught = [_Taught(lesson, parts) for lesson in lessons if (lesson.targets >= 0).any()]
    optimiser = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps + 1)
    network.train()
    for step in range(steps):
        # Deciding from the first step on sometimes gives a whole torso to a neck; the strokes must be learned first.
        decision = DECISION * max(0.0, 2 * step / steps - 1)
        loss = taught[step % len(taught)].loss(network, decision)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        optimiser.step()
        schedule.step()
    return network.eval()


class _Taught:
    """A painted mesh as the loop needs it."""

    def __init__(self, lesson: Lesson, parts: int) -> None:
        self.graph: MeshGraph = lesson.graph
        self.targets = torch.from_numpy(lesson.targets).to(self.graph.device)
        self.rows = torch.nonzero(self.targets >= 0)[:, 0]
        # By area, and parts with more paint by the square root of it only.
        area = self.graph.mass[self.rows]
        totals = torch.zeros(parts, device=area.device).index_add_(0, self.targets[self.rows], area)
        self.weights = torch.zeros_like(self.graph.mass)
        self.weights[self.rows] = area / totals[self.targets[self.rows]].clamp(min=1e-12).sqrt()

    def loss(self, network: TideNet, decision: float) -> Tensor:
        """How wrong the network is at a sample of the painted vertices, and how undecided at one of all vertices."""
        some, others = self.rows[_sample(len(self.rows))], _sample(self.graph.num_vertices).to(self.rows.device)
        logits = network(self.graph.sampled(torch.cat([some, others])))
        losses = nn.functional.cross_entropy(
            logits[: len(some)], self.targets[some], reduction="none", label_smoothing=LABEL_SMOOTHING
        )
        logs = nn.functional.log_softmax(logits[len(some) :], dim=1)
        entropy = -(logs.exp() * logs).sum(dim=1)
        return _mean(losses, self.weights[some]) + decision * _mean(entropy, self.graph.mass[others])


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1e-12)


def _sample(count: int) -> Tensor:
    return torch.randperm(count)[:SAMPLE]
