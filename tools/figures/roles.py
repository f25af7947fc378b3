"""Figures on roles: task files, entries and names of tasks."""

from __future__ import annotations

import collections

import yaml

from .house import Found, House

LISTS = frozenset({"tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"})
VERBS = ("Validate", "Get", "Ensure", "Remove", "Skip", "Record", "Wait", "Report")
"""First words of task names that the style requires."""
OURS = "mlfleet.hyperpod."
BEFORE = ("Refuse", "Note", "Keep", "Take", "Know", "Leave", "Say", "Look", "Judge", "Let", "Tell")
"""The most frequent other first words before the style was written."""


def _is_task(found: Found) -> bool:
    """Whether it is a play, block or task: an entry of a list of tasks, or of a file with such a list."""
    return found.in_list and isinstance(found.node, yaml.MappingNode) and (not found.keys or found.keys[-1] in LISTS)


def named(house: House) -> list[tuple[str, str]]:
    """Places and names of plays, blocks and tasks, in roles/ and playbooks/."""
    named = [(found.place, found.value_of("name")) for found in house.yaml if _is_task(found)]
    return [(place, name) for place, name in named if name]


def named_tasks(house: House) -> list[str]:
    """Plays, blocks and tasks with a name, in roles/ and playbooks/."""
    return [place for place, _name in named(house)]


def other_first_words(house: House) -> list[str]:
    """Members of ``named_tasks`` that do not begin with Validate, Get, Ensure, Remove, Skip, Record, Wait or Report."""
    return [f"{place} {name}" for place, name in named(house) if name.split()[0] not in VERBS]


def first_words(house: House) -> dict[str, int]:
    """First words of ``named_tasks``: the eight of the style, the earlier ones, and the sum of all others."""
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
    """Distinct pairs of role and tasks_from in roles/, playbooks/ and argument_specs, without main."""
    return sorted(f"{role}: {entry}" for role, entry in _entries(house) | _specified(house) if entry != "main")


def entries_without_spec(house: House) -> list[str]:
    """Members of ``entries`` that are not in argument_specs of the role."""
    return sorted(f"{role}: {entry}" for role, entry in _entries(house) - _specified(house) if entry != "main")


def most_task_files(house: House) -> int:
    """The maximum of ``task_files``."""
    return max(task_files(house).values(), default=0)


def most_entries(house: House) -> int:
    """The maximum of ``entries_by_role``."""
    return max(entries_by_role(house).values(), default=0)


def repeated_arguments(house: House) -> list[str]:
    """Tasks that pass a module of the collection the same four or more arguments as an earlier task, with any values."""
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
