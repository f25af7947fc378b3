# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for calls of EventBridge: on rules, with the sources of their pattern and the ARNs of their targets."""

from __future__ import annotations

import json
import typing as t

from . import found
from .forms import Context, Required, arn, tags

if t.TYPE_CHECKING:
    from ..request import Call


def required(call: Call) -> Required:
    params, action = call.params, f"events:{call.operation}"
    if call.operation == "PutEvents":
        buses = {str(each.get("EventBusName") or "default").rpartition("/")[2] for each in params["Entries"]}
        return [(action, arn(call, "events", f"event-bus/{bus}"), {}) for bus in sorted(buses)]
    name, bus = params.get("Rule") or params.get("Name"), str(params.get("EventBusName") or "default").rpartition("/")[2]
    resource = params.get("ResourceARN") or (name and arn(call, "events", f"rule/{name if bus == 'default' else f'{bus}/{name}'}"))
    if not resource or call.operation.startswith("ListRule"):
        return None
    context = {**tags(params.get("Tags")), **found.tags_of_rule(call, resource), **_of_pattern(params), **_of_targets(params)}
    tagged = ["events:TagResource"] if params.get("Tags") and call.operation == "PutRule" else []
    return [(each, resource, context) for each in (action, *tagged)]


def _of_pattern(params: t.Mapping[str, t.Any]) -> Context:
    """Condition keys of PutRule; a pattern that is no JSON object has none."""
    try:
        pattern = json.loads(params.get("EventPattern", "{}"))
    except ValueError:
        return {}
    if not isinstance(pattern, dict):
        return {}
    return {f"events:{key}": [str(each) for each in pattern[key]] for key in ("source", "detail-type") if isinstance(pattern.get(key), list)}


def _of_targets(params: t.Mapping[str, t.Any]) -> Context:
    return {"events:TargetArn": [each["Arn"] for each in params["Targets"]]} if "Targets" in params else {}
