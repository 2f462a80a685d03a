"""What stands above all else: the shape's name, what it was taken for, how good that is, and what is doubtful."""

from __future__ import annotations

from dataclasses import dataclass

from meshtide.viewer.state.scene import Scene
from meshtide.words import shown

MOST_DOUBTS, LONGEST_DOUBT = 2, 150  # that are shown at once; the rest is in `more`


@dataclass(frozen=True)
class Heading:
    """Lines for people."""

    name: str
    lines: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    more: str = ""  # all doubts, where not all are shown whole


def heading(scene: Scene) -> Heading:
    """The heading of the shape that is shown; parts are not looked for to have one."""
    entry = scene.entries[scene.index]
    place = f"  ({scene.index + 1} of {len(scene.entries)})" if len(scene.entries) > 1 else ""
    result = scene.item.known_prediction
    if result is None:
        return Heading(f"{shown(entry.name)}{place}")
    kind = f"taken for {shown(result.kind)}" if result.kind else "of no kind that is known"
    lines: tuple[str, ...] = (
        shown(result.reason, LONGEST_DOUBT) or kind,
        f"its parts: {result.mean_confidence:.0%} sure on average",
    )
    if scene.item.truth is not None:
        score = scene.item.agreement
        told = "shares no part with the prediction" if score is None else f"agrees on {score:.1%} of the compared area"
        lines = (*lines, f"the truth {told}")
    said = [shown(each, None) for each in result.warnings]
    doubts = tuple(shown(each, LONGEST_DOUBT) for each in said[:MOST_DOUBTS])
    more = "\n".join(said) if len(said) > MOST_DOUBTS or any(len(each) > LONGEST_DOUBT for each in said) else ""
    if more and len(said) > MOST_DOUBTS:
        doubts = (*doubts, f"and {len(said) - MOST_DOUBTS} more")
    return Heading(f"{shown(entry.name)}{place}", lines, doubts, more)
