# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb `fault`, which causes failures, from inside the lab."""

from __future__ import annotations

import json
from typing import Any

from lab.aws.control.client import Control
from lab.hosts import fsx
from lab.names import LabError, Paths


def fault(paths: Paths, what: str, argument: str) -> int:
    if what == "fsx":
        actions = {"hang": fsx.hang, "resume": fsx.resume}
        if argument not in actions:
            raise LabError("fault fsx: hang or resume")
        print(f"{argument}: {', '.join(actions[argument](paths)) or 'no file system yet'}")
        return 0
    control = Control(paths.api_url)
    if argument == "clear":
        control.clear_faults()
    rules = control.faults() if argument in ("clear", "list") else control.faults(*_rules(argument))
    print(json.dumps(rules, indent=2))
    return 0


def _rules(text: str) -> list[Any]:
    try:
        found = json.loads(text)
        return found if isinstance(found, list) else [found]
    except ValueError as error:
        raise LabError(f"fault api: list, clear or JSON: {error}") from None
