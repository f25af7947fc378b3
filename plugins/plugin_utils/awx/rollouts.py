# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workflows that run the waves of a rollout, with an approval before each wave except the first one. No I/O.

Each wave has a job template, because in a workflow only a playbook of the project can set variables.
"""

from __future__ import annotations

import dataclasses
import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.known_variables import of_playbooks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Template, Verb

from . import workflow
from .fleet import Fleet, Values
from .objects import Object

VERB = "rollout"
OPTION = "awx_rollouts"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
MOST_WAVES = 20
WAIT_MINUTES = 720
"""How long the job of a wave waits for its gate."""


@dataclass(frozen=True)
class Rollout:
    """An item of ``awx_rollouts``."""

    name: str
    verb: str
    waves: tuple[Values, ...]
    variables: Values = dataclasses.field(default_factory=dict)
    wait_minutes: int = WAIT_MINUTES

    @property
    def title(self) -> str:
        """The name of the workflow."""
        return f"{VERB} {self.name}"

    def title_of(self, wave: int) -> str:
        """The name of the job template of a wave."""
        return f"{self.title} wave {wave}"


def declared(rollouts: t.Iterable[Values]) -> list[Rollout]:
    """:param rollouts: the variable ``awx_rollouts``."""
    return [Rollout(**{**plain(each), "waves": tuple(plain(each["waves"]))}) for each in rollouts]


def with_rollouts(verbs: t.Iterable[Verb], rollouts: t.Iterable[Rollout]) -> list[Verb]:
    """The verbs, with the templates of rollouts: one for each wave, and one that repeats failed clusters."""
    added: dict[str, Template] = {}
    for each in rollouts:
        added |= {each.title_of(wave): _wave(each, wave) for wave in range(1, len(each.waves) + 1)}
        added[f"{each.title} retry"] = _template(each, rollout_action="retry")
    return [dataclasses.replace(each, templates={**each.templates, **added}) if each.name == VERB else each for each in verbs]


def _wave(rollout: Rollout, wave: int) -> Template:
    found = _template(
        rollout,
        rollout_action="approve" if wave > 1 else "continue",
        rollout_wave=wave,
        rollout_wait_minutes=rollout.wait_minutes,
        rollout_workflow={"verb": rollout.verb, "variables": sorted(rollout.variables)},
    )
    return dataclasses.replace(found, waits=rollout.wait_minutes * 60)


def _template(rollout: Rollout, **variables: t.Any) -> Template:
    common = {
        "rollout": rollout.name,
        "rollout_waves": [{**each, "approval": number > 1} for number, each in enumerate(rollout.waves, 1)],
        "rollout_confirm": "",
        "rollout_workflow": {"variables": sorted(rollout.variables)},
    }
    return Template(vars={**rollout.variables, **common, **variables}, extra_vars={"rollout_verb": rollout.verb})


def wanted(fleet: Fleet) -> t.Iterator[Object]:
    """The workflows, each with its nodes, and each node after those that follow it."""
    text = "The state of the rollout is in the output of the job before."
    for rollout in declared(fleet.rollouts):
        yield workflow.template(fleet, rollout.title, f"Run {rollout.verb} for one wave of clusters after the other")
        following: dict[str, str] = {}
        for wave in range(len(rollout.waves), 0, -1):
            job, gate = rollout.title_of(wave), f"approve {rollout.name} wave {wave}"
            yield workflow.node(fleet, rollout.title, job, None, **following)
            if wave > 1:
                yield workflow.node(fleet, rollout.title, gate, workflow.approval(fleet, gate, text), success_nodes=job)
                following = {"success_nodes": gate}


def refusals(rollouts: t.Sequence[Values], chosen: t.Sequence[str], verbs: t.Mapping[str, Verb]) -> t.Iterator[str]:
    """A sentence for each invalid value of ``awx_rollouts``.

    :param chosen: ``awx_verbs``.
    """
    found = declared(rollouts)
    if found and chosen and VERB not in chosen:
        yield not_allowed("awx_verbs", ", ".join(chosen), f"a list with {VERB}", f"{OPTION} is set")
    for number, each in enumerate(found):
        if not NAME.fullmatch(each.name):
            yield not_allowed(OPTION, each.name, "1 to 40 lowercase letters, digits and '-', beginning with a letter or digit")
        if each.name in [one.name for one in found[:number]]:
            yield not_allowed(OPTION, each.name, "names that differ")
        yield from _of_verb(each, verbs)
        if not 1 <= len(each.waves) <= MOST_WAVES:
            yield not_allowed(OPTION, f"{len(each.waves)} waves", f"1 to {MOST_WAVES}", f"the rollout is {each.name}")
        elif each.waves[-1].get("size"):
            why = f"the last wave of {each.name} would repeat, and the workflow needs an approval for each wave"
            yield not_allowed(OPTION, f"size {each.waves[-1]['size']}", "a last wave without size", why)
        longest = max((wave.get("soak_minutes", 0) for wave in each.waves[:-1]), default=0)
        if longest > each.wait_minutes:
            why = f"the next job of {each.name} would not wait so long"
            yield not_allowed(OPTION, f"soak_minutes {longest}", f"at most wait_minutes ({each.wait_minutes})", why)


def _of_verb(rollout: Rollout, verbs: t.Mapping[str, Verb]) -> t.Iterator[str]:
    verb = verbs.get(rollout.verb)
    if verb is None or not verb.waves:
        yield not_allowed(OPTION, rollout.verb, ", ".join(name for name, each in verbs.items() if each.waves))
        return
    known = sorted(name for section in of_playbooks().get(verb.name, {}).values() for name in section)
    for name in rollout.variables:
        if name not in known:
            yield not_allowed(OPTION, name, ", ".join(known) or "no variables", f"the playbook is {verb.name}")
