# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: images with digests of their manifests, tags that keep their former images, mutability, and scans."""

from __future__ import annotations

import datetime
import fnmatch
import hashlib
import json
import time
import typing as t
from dataclasses import dataclass, field

from moto.ecr.models import ECRBackend

from .. import cloud
from ..action import Refusal

Answer = dict[str, t.Any]
COUNTS = {"MEDIUM": 2, "LOW": 1}
"""Findings of a scan, by default."""


@dataclass
class Pushed:
    manifest: str
    media_type: str
    pushed: float = field(default_factory=time.time)

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.manifest.encode()).hexdigest()}"

    @property
    def size(self) -> int:
        parsed = json.loads(self.manifest)
        return sum(each["size"] for each in (*parsed.get("layers", ()), parsed.get("config", {"size": 0})))


@dataclass
class Store:
    """The images of a repository. ``tags`` has for each tag the times and digests of its images."""

    images: dict[str, Pushed] = field(default_factory=dict)
    tags: dict[str, list[tuple[float, str]]] = field(default_factory=dict)

    def now(self, tag: str) -> str | None:
        return self.tags[tag][-1][1] if tag in self.tags else None

    def shown(self, tag: str) -> str | None:
        """The digest that calls return, which lags."""
        before = time.time() - float(cloud.current().settings["ecr_lag_seconds"])
        return next((digest for moved, digest in reversed(self.tags.get(tag, [])) if moved <= before), None)


class Ecr(ECRBackend):
    """moto's backend. Repositories are those of moto, images are ours."""

    def __init__(self, *arguments: t.Any, **named: t.Any) -> None:
        super().__init__(*arguments, **named)
        self.stores: dict[str, Store] = {}

    def found(self, name: str) -> tuple[t.Any, Store]:
        """The repository and its images.

        :raises Refusal: RepositoryNotFoundException.
        """
        if name not in self.repositories:
            text = f"The repository with name '{name}' does not exist in the registry with id '{self.account_id}'"
            raise Refusal("RepositoryNotFoundException", text)
        return self.repositories[name], self.stores.setdefault(name, Store())

    def delete_repository(self, repository_name: str, registry_id: str | None = None, force: bool = False) -> t.Any:
        store = self.stores.get(repository_name)
        if store and store.images and not force:
            text = f"The repository with name '{repository_name}' cannot be deleted because it still contains images"
            raise Refusal("RepositoryNotEmptyException", text)
        removed = super().delete_repository(repository_name, registry_id, force)
        self.stores.pop(repository_name, None)
        return removed

    def put(self, name: str, manifest: str, media_type: str, tag: str | None, digest: str | None) -> Answer:
        """PutImage, and the end of a push to the registry."""
        repository, store = self.found(name)
        image = Pushed(manifest, media_type or json.loads(manifest).get("mediaType", ""))
        if digest not in (None, image.digest):
            raise Refusal("ImageDigestDoesNotMatchException", f"The digest {digest} does not match the image {image.digest}")
        now = store.now(tag) if tag else None
        if image.digest in store.images and now == image.digest:
            raise Refusal("ImageAlreadyExistsException", f"Image with digest '{image.digest}' and tag '{tag}' already exists")
        if tag and now is not None and immutable(repository, tag):
            text = f"The image tag '{tag}' already exists in the '{name}' repository and cannot be overwritten because the tag is immutable."
            raise Refusal("ImageTagAlreadyExistsException", text)
        store.images.setdefault(image.digest, image)
        if tag:
            store.tags.setdefault(tag, []).append((time.time(), image.digest))
        return {"registryId": self.account_id, "repositoryName": name, "imageId": {"imageDigest": image.digest, **({"imageTag": tag} if tag else {})}}

    def digest(self, name: str, image_id: t.Mapping[str, str], *, lags: bool) -> str | None:
        """The digest of an image by tag or digest."""
        _repository, store = self.found(name)
        tag = image_id.get("imageTag", "")
        of_tag = store.shown(tag) if lags else store.now(tag)
        found = of_tag if tag else image_id.get("imageDigest")
        return found if found in store.images else None

    def description(self, name: str, digest: str) -> Answer:
        """An image as DescribeImages returns it."""
        repository, store = self.found(name)
        image, tags = store.images[digest], [tag for tag in store.tags if store.shown(tag) == digest]
        return {
            "registryId": self.account_id,
            "repositoryName": name,
            "imageDigest": digest,
            **({"imageTags": sorted(tags)} if tags else {}),
            "imageSizeInBytes": image.size,
            "imagePushedAt": _moment(image.pushed),
            "imageManifestMediaType": image.media_type,
            **_scan(repository, image),
        }


def immutable(repository: t.Any, tag: str) -> bool:
    """Filters are wildcards."""
    filters = repository.image_tag_mutability_exclusion_filters or ()
    excluded = any(fnmatch.fnmatchcase(tag, each["filter"]) for each in filters)
    kind = str(getattr(repository.image_tag_mutability, "value", repository.image_tag_mutability))
    return excluded if kind.startswith("MUTABLE") else not excluded


def _scan(repository: t.Any, image: Pushed) -> Answer:
    settings = cloud.current().settings
    chosen = settings["ecr_scans"].get(repository.name)
    if chosen is None:
        if not (repository.image_scanning_configuration or {}).get("scanOnPush"):
            return {}
        ended = time.time() - image.pushed > float(settings["transition_seconds"])
        chosen = {"status": "COMPLETE" if ended else "IN_PROGRESS"}
    status = {"imageScanStatus": {"status": chosen["status"], "description": chosen.get("description", "")}}
    if chosen["status"] not in ("COMPLETE", "ACTIVE"):
        return status
    summary = {"imageScanCompletedAt": _moment(image.pushed + 1), "findingSeverityCounts": chosen.get("counts", COUNTS)}
    return {**status, "imageScanFindingsSummary": summary}


def _moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
