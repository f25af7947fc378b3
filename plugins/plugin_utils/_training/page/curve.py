# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loss of all jobs as one drawing, with checkpoints and resumes. Labels and dashes make the drawing readable without color."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined

from ..report import RECOVER, RESUME, SURVIVE, TRAIN, loss_of, steps_of
from .scale import Scale, span, ticks
from .words import Document, chapter

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, BOTTOM = 84, 600, 298
ROW = 26
"""Height of a label above the plot; each job has a row of its own."""
LONGEST = 250
"""The maximum width of a label, which is reached on phones, where letters are largest."""
DASHES = {TRAIN: None, RESUME: "10 5", SURVIVE: "2 5", RECOVER: "12 5 2 5"}
LINES = {TRAIN: "solid", RESUME: "dashed", SURVIVE: "dotted", RECOVER: "dash-dotted"}
MOST_TICKS = 6
Jobs = t.Sequence[tuple[str, Document]]
Pair = t.Sequence[t.Any]
"""Step and loss."""


def chapter_of(place: int, key: str, jobs: Jobs) -> Html:
    drawn = [(name, job) for name, job in jobs if job["losses"]]
    if not drawn:
        return chapter("Loss", element("p", "No loss was reported."))
    return chapter("Loss", _drawing(place, key, drawn), _legend(drawn))


def _drawing(place: int, key: str, jobs: Jobs) -> Html:
    pairs = [pair for _name, job in jobs for pair in (*job["losses"], *job["checkpoints"])]
    top = ROW * len(jobs) + 14
    steps = [step for step, _loss in pairs]
    low, high = span(loss for _step, loss in pairs)
    x, y = Scale(min(steps), max(steps), LEFT, RIGHT), Scale(low, high, BOTTOM, top)
    title = element("title", f"Loss of the jobs of {key}", id=f"curve-{place}-title")
    about = element("desc", " ".join(_described(*each) for each in jobs), id=f"curve-{place}-desc")
    drawn = (joined(_resumed(row, *each, x), _line(*each, x, y), _saved(each[1], x, y)) for row, each in enumerate(jobs))
    return element(
        "svg",
        *(title, about, _axes(x, y), *drawn),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_labelledby=f"curve-{place}-title curve-{place}-desc",
        class_="curve",
    )


def _described(name: str, job: Document) -> str:
    start = f", resumed from step {job['first_step']}" if job["first_step"] else ""
    saved = ", ".join(str(step) for step, _loss in job["checkpoints"])
    loss = loss_of(job) or f"{job['losses'][0][1]:.3g} to {job['losses'][-1][1]:.3g}"
    return f"{name}{start}: steps {steps_of(job)}, loss {loss}{saved and f', checkpoints of steps {saved}'}."


def _axes(x: Scale, y: Scale) -> Html:
    made = []
    for value in ticks(y.low, y.high, MOST_TICKS):
        made.append(_segment(LEFT, y.at(value), RIGHT, y.at(value), "grid"))
        made.append(_text(LEFT - 8, y.at(value) + 6, f"{value:.4g}", "end"))
    for value in ticks(x.low, x.high, MOST_TICKS, whole=True):
        made.append(_segment(x.at(value), BOTTOM, x.at(value), BOTTOM + 6, "axis"))
        made.append(_text(x.at(value), BOTTOM + 28, f"{value:.0f}", "middle"))
    made += [_segment(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"), _segment(LEFT, y.end, LEFT, BOTTOM, "axis")]
    return joined(made, _text(2, 20, "loss", "start"), _text(RIGHT, HEIGHT - 6, "step", "end"))


def _resumed(row: int, name: str, job: Document, x: Scale) -> Html:
    """The label of a job, and a line at the job's first step if the job resumed an earlier one."""
    start, base = job["first_step"], ROW * (row + 1) - 6
    at = x.at(max(start, x.low)) if start else x.at(job["losses"][0][0])
    words = f"{name}, from step {start}" if start else name
    fits = at + LONGEST <= RIGHT
    label = _text(at + 6 if fits else RIGHT, base, words, "start" if fits else "end", name)
    return joined(_segment(at, base - 14, at, BOTTOM, "resume", "3 4") if start else NOTHING, label)


def _line(name: str, job: Document, x: Scale, y: Scale) -> Html:
    """The loss of a job. Steps without a loss are gaps."""
    parts, before = [], None
    for step, loss in job["losses"]:
        parts.append(f"{'L' if before == step - 1 else 'M'}{x.at(step):.1f} {y.at(loss):.1f}")
        before = step
    alone = "h0" if len(parts) == 1 else ""
    return element("path", d="".join(parts) + alone, class_="loss", data_v=name, data_job=name, stroke_dasharray=DASHES.get(name))


def _saved(job: Document, x: Scale, y: Scale) -> Html:
    made = []
    for step, loss in job["checkpoints"]:
        title = element("title", f"Checkpoint of step {step}: validation loss {loss:.4g}")
        made.append(element("path", title, d=_diamond(x.at(step), y.at(loss)), class_="saved"))
    return joined(made)


def _diamond(x: float, y: float) -> str:
    return f"M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z"


def _segment(x1: float, y1: float, x2: float, y2: float, class_: str, dashes: str | None = None) -> Html:
    return element("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=class_, stroke_dasharray=dashes)


def _text(x: float, y: float, words: str, anchor: str, job: str | None = None) -> Html:
    return element("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, data_label=job)


def _legend(jobs: Jobs) -> Html:
    lines = ", ".join(f"{name} {LINES[name]}" for name, _job in jobs)
    resumed = " Vertical lines: checkpoints from which jobs resumed." if any(job["first_step"] for _name, job in jobs) else ""
    saved = " Diamonds: checkpoints; their height is the validation loss." if any(job["checkpoints"] for _name, job in jobs) else ""
    return element("p", f"Lines: {lines}.{resumed}{saved}", class_="dim")
