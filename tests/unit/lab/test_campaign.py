# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selection of campaign tests: one for a commit, always the same, and all of them over many commits."""

from __future__ import annotations

import collections
import itertools
import re
import subprocess

import pytest
from campaign import choice
from lab.aws.registry import programs
from lab.kubernetes import models
from lab.kueue import hyp
from lab.names import LabError

TESTS = {"test_a.py": ["a1", "a2", "a3"], "test_slow.py": [], "test_b.py": ["b1"]}


def test_commits_together_run_everything():
    seen = collections.Counter(choice.chosen(f"{number:040x}", TESTS) for number in range(400))
    assert set(seen) == {"a1", "a2", "a3", "b1"}
    assert 150 < seen["b1"] < 250, "each file has its turns, whatever its number of tests"


def test_a_commit_always_runs_the_same_tests():
    argv = ["git", "-C", str(choice.FOLDER), "log", "-1", "--format=%H"]
    head = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    assert choice.slice_of_head() == (str(choice.FOLDER), f"--slice={head}")
    assert len({choice.chosen(head, dict(order)) for order in (TESTS.items(), reversed(TESTS.items()))}) == 1


def test_all_turns_together_cover_all_tests():
    names = [f"test_{number}" for number in range(72)]
    turns = [choice.in_turn(f"{number:040x}", names) for number in range(200)]
    assert {name for each in turns for name in each} == set(names)
    assert {len(each) for each in turns} == {3}, "no commit has much more to run than another"
    assert choice.in_turn(f"{7:040x}", reversed(names)) == turns[7]
    eighths = [choice.eighth(f"{number:040x}", names) for number in range(200)]
    assert {name for each in eighths for name in each} == set(names) and {len(each) for each in eighths} == {9}


def test_single_names_are_drawn_in_turn():
    """Files with one slow test, each in a separate pytest: a commit runs some of them, not all or none."""
    for number in range(20):
        drawn = [choice.in_turn(f"{number:040x}", ["only"], place) for place in range(48)]
        assert drawn.count(["only"]) == 2 and drawn[:24] == drawn[24:]


def test_a_card_is_drawn_again_after_all_others():
    cards = list(itertools.product("abcdef", (True, False)))
    once, again, another = (list(itertools.islice(choice.dealt(cards, seed), 3 * len(cards))) for seed in (7, 7, 8))
    decks = [tuple(once[begin : begin + len(cards)]) for begin in range(0, len(once), len(cards))]
    assert [sorted(deck) for deck in decks] == [sorted(cards)] * 3
    assert len(set(decks)) == 3, "each deck is shuffled again"
    assert once == again and once[: len(cards)] != another[: len(cards)]


@pytest.mark.parametrize(("what", "verb"), [(programs.BUILDAH, "make buildah"), (programs.PODMAN, "make podman"), (hyp, "make hyp"), (models, "make models")])
def test_a_missing_package_is_named_with_the_verb_that_installs_it(what, verb, monkeypatch, tmp_path):
    monkeypatch.setenv("MLFLEET_HYPERPOD_CACHE", str(tmp_path))
    with pytest.raises(LabError, match=verb):
        what.installed()


def test_no_test_is_skipped_silently():
    """A test that is skipped because something is not installed would never compare anything."""
    skips = re.compile(r"pytest\.skip|importorskip|mark\.skip|xfail|except LabError")
    assert [file.name for file in choice.FOLDER.glob("*.py") if skips.search(file.read_text("utf-8"))] == []
    makefile = (choice.FOLDER.parents[1] / "Makefile").read_text("utf-8")
    (verbs,) = re.findall("^campaign: (.*?) ##", makefile, re.MULTILINE)
    assert {"buildah", "podman", "hyp", "models"} <= set(verbs.split())
    assert not re.findall("^\t@?-.*", makefile, re.MULTILINE), "make would ignore failures of these commands"
