"""Figures on roles: task files, entries, names of tasks."""

from __future__ import annotations

import collections

import yaml

from .house import Found, House

LISTS = frozenset({"tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"})
VERBS = ("Validate", "Get", "Ensure", "Remove", "Skip", "Record", "Wait", "Report")
"""First words of task names, as the style asks for them."""
OURS = "mlfleet.hyperpod."
BEFORE = ("Refuse", "Note", "Keep", "Take", "Know", "Leave", "Say", "Look", "Judge", "Let", "Tell")
"""The most frequent ones in their place, when the style was made."""


def _is_task(found: Found) -> bool:
    """A play, a block or a task: an entry of a list of tasks, or of a file that is such a list."""
    return found.in_list and isinstance(found.node, yaml.MappingNode) and (not found.keys or found.keys[-1] in LISTS)


def named(house: House) -> list[tuple[str, str]]:
    """Places and names of plays, blocks and tasks, in roles/ and playbooks/."""
    named = [(found.place, found.value_of("name")) for found in house.yaml if _is_task(found)]
    return [(place, name) for place, name in named if name]


def named_tasks(house: House) -> list[str]:
    """Plays, blocks and tasks with a name, in roles/ and playbooks/."""
    return [place for place, _name in named(house)]


def other_first_words(house: House) -> list[str]:
    """Those of ``named_tasks`` that do not begin with Validate, Get, Ensure, Remove, Skip, Record, Wait or Report."""
    return [f"{place} {name}" for place, name in named(house) if name.split()[0] not in VERBS]


def first_words(house: House) -> dict[str, int]:
    """The first words of ``named_tasks``: the eight of the style, those that stood in their place, and all others together."""
    words = collections.Counter(name.split()[0] for _place, name in named(house))
    counted = {word: words[word] for word in (*VERBS, *BEFORE)}
    return {**counted, "others": words.total() - sum(counted.values())}


def _names(house: House) -> list[str]:
    return sorted({path.parents[1].name for path in house.files("roles/*/tasks/main.yml", "roles/*/meta/argument_specs.yml")})


def task_files(house: House) -> dict[str, int]:
    """Files below roles/ROLE/tasks."""
    return {role: len(house.files(f"roles/{role}/tasks/**/*.yml")) for role in _names(house)}


def _entries(house: House) -> set[tuple[str, str]]:
    called = ((found.value_of("name") or "", found.value_of("tasks_from")) for found in house.yaml)
    return {(role.removeprefix(OURS), entry) for role, entry in called if entry}


def _specified(house: House) -> set[tuple[str, str]]:
    specs = [found for found in house.yaml if found.file.endswith("/meta/argument_specs.yml") and found.keys == ("argument_specs",)]
    return {(spec.file.split("/")[1], entry) for spec in specs for entry in spec.names}


def entries(house: House) -> list[str]:
    """Distinct pairs of role and tasks_from in roles/ and playbooks/, and those that argument_specs names; main does not count."""
    return sorted(f"{role}: {entry}" for role, entry in _entries(house) | _specified(house) if entry != "main")


def entries_without_spec(house: House) -> list[str]:
    """Those of ``entries`` that argument_specs of the role does not name."""
    return sorted(f"{role}: {entry}" for role, entry in _entries(house) - _specified(house) if entry != "main")


def most_task_files(house: House) -> int:
    """Task files of the role that has the most."""
    return max(task_files(house).values(), default=0)


def most_entries(house: House) -> int:
    """``entries`` of the role that has the most."""
    return max(entries_by_role(house).values(), default=0)


def repeated_arguments(house: House) -> list[str]:
    """Tasks that give a module of ours the arguments, four or more, that a task before them gives it, whatever their values."""
    first: dict[tuple[str, ...], str] = {}
    repeated = []
    for found in house.yaml:
        module = found.keys[-1] if found.keys else ""
        if module.startswith(OURS) and len(found.names) >= 4:
            original = first.setdefault((module, *sorted(found.names)), found.place)
            repeated += [f"{found.place} as {original}"] if original != found.place else []
    return repeated


def _by_role(house: House, found: list[str]) -> dict[str, int]:
    counted = collections.Counter(each.split(":")[0] for each in found)
    return {role: counted[role] for role in _names(house)}


def entries_by_role(house: House) -> dict[str, int]:
    """``entries``, by role."""
    return _by_role(house, entries(house))


def unspecified_by_role(house: House) -> dict[str, int]:
    """``entries_without_spec``, by role."""
    return _by_role(house, entries_without_spec(house))
