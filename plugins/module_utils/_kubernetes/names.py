# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Names that Kubernetes accepts, as regular expressions, and descriptions of the allowed values."""

from __future__ import annotations

NAMESPACE = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
NAMESPACE_ALLOWED = "the name of a namespace: at most 63 lower-case letters, digits and hyphens"
OF_TEAMS = "hyperpod-ns-"
"""The prefix of the namespaces of task governance's teams."""
OWN_NAMESPACE = rf"(?!{OF_TEAMS}){NAMESPACE}"
OWN_NAMESPACE_ALLOWED = f"{NAMESPACE_ALLOWED}, but not the namespace of a team of task governance ({OF_TEAMS}...)"
OBJECT = "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
OBJECT_ALLOWED = "a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots"
_REGISTRY, _PATH = r"[A-Za-z0-9.-]+(:[0-9]+)?/", r"[a-z0-9]+([._/-]+[a-z0-9]+)*"
IMAGE = rf"({_REGISTRY})?{_PATH}(:[A-Za-z0-9_][A-Za-z0-9._-]{{0,127}})?(@sha256:[0-9a-f]{{64}})?"
IMAGE_ALLOWED = "an image such as registry.k8s.io/pause:3.10"
INSTANCE_TYPE = r"(ml\.)?(?!ml\.)[a-z0-9-]{1,40}\.[a-z0-9-]{1,40}"
INSTANCE_TYPE_ALLOWED = "an instance type such as ml.p5.48xlarge or p5.48xlarge"
SCHEDULE = r"@(hourly|daily|weekly)|[0-9A-Za-z*/,-]+( [0-9A-Za-z*/,-]+){4}"
SCHEDULE_ALLOWED = "five fields as in a crontab, such as 17 * * * *, or one of @hourly, @daily and @weekly"
