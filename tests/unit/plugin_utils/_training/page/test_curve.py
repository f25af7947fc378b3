# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawing of losses."""

from __future__ import annotations

import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.curve import (
    BOTTOM,
    DASHES,
    LEFT,
    LINES,
    RIGHT,
    chapter_of,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import OWN
from simulated.read_html import Element, read
from simulated.training_report import job

FOUR = [("train", job()), ("resume", job("resume", 40, 80)), ("survive", job("survive", 80, 120)), ("recover", job("recover", 120, 160))]


def drawn(*jobs: tuple[str, dict[str, t.Any]]) -> Element:
    return read(chapter_of(0, "ml", jobs).markup)


def lines(found: Element) -> dict[str, list[tuple[str, float, float]]]:
    """Commands and places of the points of each job."""
    made = {}
    for each in found.having("data-job"):
        parts = re.findall(r"([ML])([0-9.]+) ([0-9.]+)", each.attributes["d"])
        made[each.attributes["data-job"]] = [(command, float(x), float(y)) for command, x, y in parts]
    return made


def test_each_loss_is_a_point_in_one_drawing() -> None:
    found = drawn(*FOUR)
    assert len(found.named("svg")) == 1 and {name: len(points) for name, points in lines(found).items()} == {
        "train": 40,
        "resume": 40,
        "survive": 40,
        "recover": 40,
    }
    everything = [point for points in lines(found).values() for point in points]
    assert all(LEFT <= x <= RIGHT and 0 < y <= BOTTOM for _command, x, y in everything)
    places = [x for _command, x, _y in everything]
    assert places == sorted(places) and places[0] == LEFT and places[-1] == RIGHT
    train = [y for _command, _x, y in lines(found)["train"]]
    assert train[0] < train[-1], "a falling loss is drawn downwards"


def test_jobs_differ_without_color() -> None:
    found = drawn(*FOUR)
    dashes = [each.attributes.get("stroke-dasharray") for each in found.having("data-job")]
    assert len(set(dashes)) == 4 and {*DASHES} == {*LINES} == {*OWN}
    assert [each.text for each in found.having("data-label")] == [
        "train",
        "resume, from step 40",
        "survive, from step 80",
        "recover, from step 120",
    ]
    assert "train solid, resume dashed, survive dotted, recover dash-dotted." in found.text


def test_resumes_and_checkpoints_are_marked() -> None:
    found = drawn(*FOUR)
    resumed = [each for each in found.named("line") if each.attributes["class"] == "resume"]
    ends = [points[-1][1] for points in lines(found).values()][:3]
    assert [float(each.attributes["x1"]) for each in resumed] == ends and all(
        each.attributes["x1"] == each.attributes["x2"] for each in resumed
    )
    saved = [each.named("title")[0].text for each in found.named("path") if each.attributes["class"] == "saved"]
    assert saved[0] == "Checkpoint of step 20: validation loss 1.834" and len(saved) == 8


def test_the_drawing_has_a_text_alternative() -> None:
    found = drawn(*FOUR[:2])
    (svg,) = found.named("svg")
    assert svg.attributes["role"] == "img" and [found.at(each).name for each in svg.attributes["aria-labelledby"].split()] == [
        "title",
        "desc",
    ]
    assert found.named("desc")[0].text == (
        "train: steps 1 to 40, loss 5.36 to 0.725, checkpoints of steps 20, 40. "
        "resume, resumed from step 40: steps 41 to 80, loss 0.525 to 0.0989, checkpoints of steps 60, 80."
    )


def test_axes_have_numbers() -> None:
    found = drawn(*FOUR)
    texts = [each.text for each in found.named("text") if "data-label" not in each.attributes]
    assert texts == ["0", "2", "4", "6", "50", "100", "150", "loss", "step"]


def test_steps_without_a_loss_are_gaps() -> None:
    given = job(losses=[[1, 6.0], [2, 5.0], [5, 4.0], [6, 3.0]])
    assert [command for command, _x, _y in lines(drawn(("train", given)))["train"]] == ["M", "L", "M", "L"]


@pytest.mark.parametrize("losses", [[[1, 6.0]], [[1, 0.0], [2, 0.0]], [[1, 1e24], [2, 1.0]], [[1, -1.0], [2, -2.0]], [[40, 0.5]]])
def test_extreme_losses_are_drawn(losses: t.Any) -> None:
    found = drawn(("train", job(losses=losses, checkpoints=[], last_loss=None)))
    assert len(lines(found)["train"]) == len(losses) and "nan" not in str(found) and "loss " in found.named("desc")[0].text


def test_a_job_without_losses_is_left_out() -> None:
    assert "No loss was reported." in drawn(("train", job(losses=[]))).text
    found = drawn(FOUR[0], ("resume", job("resume", 40, 80, losses=[])))
    assert list(lines(found)) == ["train"] and "resume" not in found.text


def test_the_legend_names_only_what_is_drawn() -> None:
    text = drawn(("train", job(checkpoints=[]))).text
    assert "Vertical" not in text and "Diamonds" not in text and "Lines: train solid." in text


def test_a_resume_from_before_the_first_step_is_drawn() -> None:
    found = drawn(("resume", job("resume", 40, 80, checkpoints=[])))
    (mark,) = (each for each in found.named("line") if each.attributes["class"] == "resume")
    assert float(mark.attributes["x1"]) == LEFT
