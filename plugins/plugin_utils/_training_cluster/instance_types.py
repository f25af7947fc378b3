# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instance types have accelerators. The name of a type contains its family, so no request is needed. No I/O."""

from __future__ import annotations

import re

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option

ACCELERATED = ("p", "g", "gr", "trn", "inf", "dl")
"""Families with GPUs of NVIDIA or AMD, and with AWS's or Intel's accelerators for training and inference."""
GENERAL = ("a", "c", "d", "h", "hpc", "i", "im", "is", "m", "r", "t", "u", "x", "z")
"""Families without accelerators. Any other family, such as ``f`` and ``vt``, is unknown."""
TYPE = r"[a-z][a-z0-9-]*\.[a-z0-9-]+"
TYPE_ALLOWED = "an instance type of EC2 such as {example}"
SMALL, LARGE = "m7i.xlarge", "p5.48xlarge"
_FAMILY = re.compile(r"([a-z]+)-?[0-9][a-z0-9-]*\.[a-z0-9-]+")


def family(instance_type: str) -> str:
    """The letters before the generation, such as ``p`` for ``p6-b200.48xlarge``; empty for another form of name."""
    match = _FAMILY.fullmatch(instance_type)
    return match[1] if match else ""


def is_accelerated(instance_type: str) -> bool | None:
    """Whether the type has accelerators; None if the family is unknown."""
    found = family(instance_type)
    return True if found in ACCELERATED else False if found in GENERAL else None


def check_known(option: str, given: object) -> bool:
    """Whether the type has accelerators.

    :raises Refused: if the value is not an instance type, or its family is unknown.
    """
    if not isinstance(given, str) or not re.fullmatch(TYPE, given):
        refuse_option(option, given, TYPE_ALLOWED.format(example=LARGE))
    found = is_accelerated(given)
    if found is None:
        allowed = f"types of the families {', '.join(ACCELERATED)} for GPU groups, and {', '.join(GENERAL)} for the system group"
        refuse_option(option, given, allowed, "it is not known whether this family has accelerators")
    return found


def check_accelerated(option: str, given: object) -> None:
    """:raises Refused: for a type that is not for a GPU group."""
    if not check_known(option, given):
        allowed = f"types of the families {', '.join(ACCELERATED)}, such as {LARGE}"
        refuse_option(option, given, allowed, "it has no accelerators, and only the system group has such nodes")


def check_general(option: str, given: object) -> None:
    """:raises Refused: for a type that is not for the system group."""
    if check_known(option, given):
        allowed = f"types of the families {', '.join(GENERAL)}, such as {SMALL}"
        refuse_option(option, given, allowed, "it has accelerators, which the system group would not use")
