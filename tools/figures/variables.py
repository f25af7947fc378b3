"""Figures on variables that tasks pass to later tasks."""

from __future__ import annotations

from .house import Found, House

SET_FACT = frozenset({"ansible.builtin.set_fact", "set_fact"})
PRIVATE = "__"


def _calls(house: House) -> list[Found]:
    return [found for found in house.yaml if found.keys[-1:] and found.keys[-1] in SET_FACT]


def facts(house: House) -> list[str]:
    """Distinct names that set_fact sets, in roles/ and playbooks/."""
    return sorted({name for call in _calls(house) for name in call.names if name != "cacheable"})


def public_facts(house: House) -> list[str]:
    """Members of ``facts`` that do not begin with __, which other roles may read."""
    return [name for name in facts(house) if not name.startswith(PRIVATE)]


def set_facts(house: House) -> list[str]:
    """Tasks that call set_fact."""
    return [call.place for call in _calls(house)]


def private_variables(house: House) -> list[str]:
    """Top-level keys of roles/*/vars/main.yml that begin with __."""
    files = [found for found in house.yaml if found.file.endswith("/vars/main.yml") and not found.keys and not found.in_list]
    return sorted(name for file in files for name in file.names if name.startswith(PRIVATE))
