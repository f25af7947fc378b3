# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts the settings of an add-on between text and values. EKS accepts JSON and YAML."""

from __future__ import annotations

import json
import typing as t

from ..._kubernetes.yaml_text import HAS_YAML, NotYaml, document


class Unreadable(Exception):
    """A text that is neither JSON nor YAML, or that cannot be parsed. The message is the reason."""


def parsed(text: str) -> t.Any:
    """The settings in a JSON or YAML text. An empty text has no settings.

    :raises Unreadable: with the reason.
    """
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except ValueError as error:
        if not HAS_YAML:
            raise Unreadable(f"it is not JSON ({error}), and the Python library PyYAML, which YAML requires, is missing") from error
    try:
        return document(text) or {}
    except NotYaml as error:
        raise Unreadable(str(error)) from error


def text_of(values: t.Any) -> str:
    """The values as text. Equal values give the same text."""
    return json.dumps(values, sort_keys=True)
