# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The floors of plugins/ and the allowed imports between them. Exceptions have a reason, and must be removed if they are not needed."""

from __future__ import annotations

import sys

import pytest

from tools.figures import imports
from tools.figures.house import House

FLOORS: tuple[tuple[str, ...], ...] = (
    ("module_utils/_core/",),
    ("module_utils/_ssh/",),
    ("module_utils/_aws/",),
    ("module_utils/_node/",),
    ("module_utils/_accelerators/node/",),
    ("module_utils/_lock/",),
    ("module_utils/_kubernetes/",),
    ("module_utils/_accelerators/",),
    ("module_utils/_topology/",),
    ("module_utils/_training/",),
    ("module_utils/_hyperpod/",),
    ("module_utils/_eks/",),
    ("module_utils/_ecr/",),
    ("module_utils/_fsx/",),
    ("module_utils/_events/",),
    ("module_utils/_karpenter/",),
    ("module_utils/_host_keys/",),
    ("module_utils/_balancer/", "module_utils/_client_vpn/", "module_utils/_node_access/"),
    ("plugin_utils/run/",),
    ("plugin_utils/",),
    ("plugin_utils/_declared/", "plugin_utils/_inventory/"),
    ("plugin_utils/views/",),
    ("callback/", "doc_fragments/", "filter/", "inventory/", "lookup/", "modules/"),
    ("action/",),
)
"""A floor may import itself and the floors above it in this list. Packages on one floor must not import each other."""

UPWARD: dict[tuple[str, str], str] = {
    ("plugin_utils/_declared/people.py", "modules/accounts.py"): "validates options by the specification of the module",
    ("plugin_utils/_declared/endpoint.py", "modules/client_vpn_endpoint.py"): "validates options by the specification of the module",
}
"""Exceptions: file and its import, with the reason."""

ON_NODES = ("module_utils/_core/", "module_utils/_ssh/", "module_utils/_node/", "module_utils/_accelerators/node/")
"""Code that is sent to nodes, which have only Python 3.9."""

NOT_STANDARD: dict[tuple[str, str], str] = {
    ("module_utils/_node/endpoint/observe.py", "paramiko"): "ssh_endpoint_info runs on machines of people, and is refused without it",
}
"""Files for nodes and their imports outside of the standard library, with the reason."""

Edge = tuple[str, str]


def package(file: str) -> str:
    """The longest name of FLOORS that contains the file."""
    names = [name for floor in FLOORS for name in floor if file.startswith(name)]
    return max(names, key=len, default="")


def floor(file: str) -> int:
    return next(place for place, names in enumerate(FLOORS) if package(file) in names)


@pytest.fixture(scope="module")
def edges(house: House) -> dict[Edge, str]:
    """Imports of the collection's files with their places, without ``plugins/``."""
    found = [each for each in imports.imports(house) if each.ours]
    return {(_short(each.file), _short(each.module)): f"{each.file}:{each.line}" for each in found}


def described(wrong: set[Edge], edges: dict[Edge, str]) -> str:
    return ", ".join(f"{edges[edge]} imports {edge[1]}" for edge in sorted(wrong))


def _short(file: str) -> str:
    return file.removeprefix("plugins/")


def test_each_file_has_a_floor(house: House) -> None:
    assert len(house.code) > 200
    assert [file for file in house.code if not package(_short(file))] == []


def test_each_floor_has_files(house: House) -> None:
    used = {package(_short(file)) for file in house.code}
    assert [name for names in FLOORS for name in names if name not in used] == []


def test_only_floors_above_are_imported(edges: dict[Edge, str]) -> None:
    wrong = {edge for edge in edges if package(edge[0]) != package(edge[1]) and floor(edge[1]) >= floor(edge[0])}
    assert wrong - set(UPWARD) == set(), f"a floor imports those above it in FLOORS only: {described(wrong - set(UPWARD), edges)}"
    assert set(UPWARD) - wrong == set(), "no longer needed in UPWARD"


def test_modules_import_module_utils_only(edges: dict[Edge, str]) -> None:
    from_modules = {edge for edge in edges if edge[0].startswith("modules/")}
    assert len(from_modules) > 50
    wrong = {edge for edge in from_modules if not edge[1].startswith("module_utils/")}
    assert wrong == set(), described(wrong, edges)


def test_code_for_nodes_imports_no_other_code_of_the_collection(edges: dict[Edge, str]) -> None:
    from_nodes = {edge for edge in edges if edge[0].startswith(ON_NODES)}
    assert len(from_nodes) > 50
    wrong = {edge for edge in from_nodes if not edge[1].startswith(ON_NODES)}
    assert wrong == set(), described(wrong, edges)


def test_code_for_nodes_imports_the_standard_library_only(house: House) -> None:
    others = [each for each in imports.imports(house) if not each.ours and _short(each.file).startswith(ON_NODES)]
    assert len(others) > 50
    named = {(_short(each.file), each.module.split(".")[0]) for each in others}
    wrong = {edge for edge in named if edge[1] not in sys.stdlib_module_names}
    assert wrong - set(NOT_STANDARD) == set(), "nodes have the standard library only"
    assert set(NOT_STANDARD) - wrong == set(), "no longer needed in NOT_STANDARD"
