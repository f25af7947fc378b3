# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Pods on nodes of clusters with EKS: their programs run against the story of a node."""

from __future__ import annotations

import base64
import typing as t
from pathlib import Path

from kubernetes_world import KubernetesWorld
from lab.accelerators import pod
from lab.accelerators.story import Story

SPACE = "mlfleet-hyperpod"
MAPS = f"/api/v1/namespaces/{SPACE}/configmaps"
Pod = dict[str, t.Any]


class Runs:
    """Log of a check Pod, whose program runs once for each Pod on a node with this story.

    :param then: the story after ``once`` has returned true.
    """

    def __init__(self, pods: KubernetesWorld, story: Story, folder: Path, *, then: Story | None = None, once: t.Callable[[], bool] = bool) -> None:
        self.pods = pods
        self.story = story
        self.folder = folder
        self.then = then
        self.once = once

    def __call__(self, check: Pod) -> str:
        (container,) = check["spec"]["containers"]
        mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        (name,) = (each["configMap"]["name"] for each in check["spec"]["volumes"] if "configMap" in each)
        content = self.pods.api.get(f"{MAPS}/{name}")
        files = {file: base64.b64decode(text) for file, text in content["binaryData"].items()}
        files |= {file: text.encode() for file, text in content["data"].items()}
        root = self.folder / check["metadata"]["name"]
        story = self.then if self.then and self.once() else self.story
        return pod.output(story, root, {f"{mounted['program']}/{file}": each for file, each in files.items()}, container["command"])
