# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A table as ``ansible.builtin.debug`` prints it readably."""

from __future__ import annotations

import typing as t

from ansible import constants
from ansible.errors import AnsibleError

Printed = str | list[str]


def printed(lines: t.Sequence[str]) -> Printed:
    """One string if results are printed as YAML, which folds long list items; else a list, since JSON escapes line breaks.

    Without lines it is an empty list.
    """
    return "\n".join(lines) if lines and _result_format() == "yaml" else list(lines)


def _result_format() -> str:
    """JSON if the callback that prints results has no such option."""
    try:
        return str(constants.config.get_config_value("result_format", plugin_type="callback", plugin_name="default"))
    except AnsibleError:
        return "json"
