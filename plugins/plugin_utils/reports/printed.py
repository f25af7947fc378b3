# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A table in the form that is readable when ``ansible.builtin.debug`` prints it."""

from __future__ import annotations

import typing as t

from ansible import constants
from ansible.errors import AnsibleError

Printed = str | list[str]


def printed(lines: t.Sequence[str]) -> Printed:
    """The lines as one string if Ansible prints results as YAML, which folds long list items. Otherwise they stay a list,
    because JSON escapes line breaks. Without lines, the result is an empty list.
    """
    return "\n".join(lines) if lines and _result_format() == "yaml" else list(lines)


def _result_format() -> str:
    """The format of printed results; ``json`` if the callback that prints them has no such option."""
    try:
        return str(constants.config.get_config_value("result_format", plugin_type="callback", plugin_name="default"))
    except AnsibleError:
        return "json"
