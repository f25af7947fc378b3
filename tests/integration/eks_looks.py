# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods in which nodes of clusters with EKS are looked at: what they run, runs where a node tells a story."""

from __future__ import annotations

import base64
import typing as t
from pathlib import Path

from eks_world import EksWorld
from lab.accelerators import pod
from lab.accelerators.story import Story

SPACE = "mlfleet-hyperpod"
MAPS = f"/api/v1/namespaces/{SPACE}/configmaps"
Pod = dict[str, t.Any]


class Runs:
    """Runs what a pod was made of, once for each pod, on a node that tells a story.

    :param then: the story from when it holds on.
    """

    def __init__(self, pods: EksWorld, story: Story, folder: Path, *, then: Story | None = None, once: t.Callable[[], bool] = bool) -> None:
        self.pods = pods
        self.story = story
        self.folder = folder
        self.then = then
        self.once = once

    def __call__(self, of: Pod) -> str:
        (container,) = of["spec"]["containers"]
        mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        (name,) = (each["configMap"]["name"] for each in of["spec"]["volumes"] if "configMap" in each)
        content = self.pods.api.get(f"{MAPS}/{name}")
        files = {file: base64.b64decode(text) for file, text in content["binaryData"].items()}
        files |= {file: text.encode() for file, text in content["data"].items()}
        root = self.folder / of["metadata"]["name"]
        story = self.then if self.then and self.once() else self.story
        return pod.said(story, root, {f"{mounted['program']}/{file}": each for file, each in files.items()}, container["command"])
