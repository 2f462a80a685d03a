"""What an epoch adds up of its steps."""

from __future__ import annotations

import weakref

import pytest
import torch

from meshtide.training import batch_loss
from meshtide.training.batch_loss import Numbers, Tally


def test_numbers_come_back_in_order_and_no_tensor_of_a_step_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_loss, "READ_AFTER", 4)
    numbers, living = Numbers(), []
    for value in range(10):
        number = torch.tensor(float(value))
        living.append(weakref.ref(number.untyped_storage()))
        living.append(weakref.ref(number))
        numbers.add(number)
        del number
        # Kept between large arrays, small ones keep the gaps of these from growing together again.
        assert not any(alive() for alive in living)
    assert numbers.read() == [float(value) for value in range(10)]
    assert numbers.read() == []
    numbers.add(torch.tensor(7.0))
    assert numbers.read() == [7.0]


def test_a_tally_adds_up_what_steps_gave() -> None:
    tally = Tally()
    for step in range(3):
        tally.add(torch.tensor(0.5 * step), torch.tensor(2 * step), 10)
    tally.read()
    assert (tally.loss, tally.right, tally.seen) == (1.5, 6, 30)
    tally.read()
    assert (tally.loss, tally.right, tally.seen) == (1.5, 6, 30)
