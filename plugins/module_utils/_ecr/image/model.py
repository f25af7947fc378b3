# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An image in ECR: its desired contents and tag, and the observed images."""

from __future__ import annotations

import fnmatch
import typing as t
from dataclasses import dataclass, field

from ..._core.plan import KNOWN_AFTER_APPLY

NOT_FOUND = "ImageNotFoundException"
SOURCE = "source-"
"""Prefix of the tag that identifies the contents of the build context."""
DIGITS = 20
"""Number of hexadecimal digits of the digest in this tag."""
IMMUTABLE, MUTABLE_WITH_EXCLUSION, IMMUTABLE_WITH_EXCLUSION = "IMMUTABLE", "MUTABLE_WITH_EXCLUSION", "IMMUTABLE_WITH_EXCLUSION"


@dataclass(frozen=True)
class Source:
    """Everything that determines a build."""

    context: str
    """Absolute path of the build context."""
    containerfile: str
    """Path relative to the context."""
    build_args: t.Mapping[str, str]
    platform: str
    base_images: tuple[str, ...]
    """References of the images that the build pulls."""
    digest: str
    """SHA-256 in hexadecimal digits."""


@dataclass(frozen=True)
class Desired:
    repository: str
    tag: str
    source: Source
    timeout: int
    """Seconds."""
    scan_timeout: int
    """Seconds; 0 for no wait."""

    @property
    def source_tag(self) -> str:
        return f"{SOURCE}{self.source.digest[:DIGITS]}"

    @property
    def built(self) -> str:
        """The built image, for messages and changes."""
        return f"image {self.repository}:{self.source_tag}"

    @property
    def resource(self) -> str:
        """The tag, for messages and changes."""
        return f"image tag {self.repository}:{self.tag}"


@dataclass(frozen=True)
class Repository:
    uri: str
    mutability: str = "MUTABLE"
    exclusions: tuple[str, ...] = ()
    """Patterns of the tags that have the opposite mutability."""
    scans_on_push: bool = False

    @property
    def host(self) -> str:
        return self.uri.partition("/")[0]

    def is_immutable(self, tag: str) -> bool:
        """Whether ECR refuses to move an existing tag to another image."""
        excluded = any(fnmatch.fnmatchcase(tag, pattern) for pattern in self.exclusions)
        if self.mutability == MUTABLE_WITH_EXCLUSION:
            return excluded
        return self.mutability == IMMUTABLE or (self.mutability == IMMUTABLE_WITH_EXCLUSION and not excluded)


ABSENT = Repository(KNOWN_AFTER_APPLY)
"""A repository that does not exist, which an earlier task may have predicted in check mode."""


@dataclass(frozen=True)
class Scan:
    """ECR's scan of an image for vulnerabilities."""

    status: str
    """``complete``, ``in_progress`` or ``not_scanned``."""
    reason: str = ""
    severities: t.Mapping[str, int] = field(default_factory=dict)
    """Number of findings, keyed by severity."""
    completed_at: str | None = None


UNKNOWN_SCAN = Scan(KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY)


@dataclass(frozen=True)
class Image:
    digest: str
    size: int | str
    """Bytes."""
    pushed_at: str
    scan: Scan


NEW = Image(KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY, UNKNOWN_SCAN)
"""The predicted image of a build."""


@dataclass(frozen=True)
class State:
    repository: Repository
    source: Image | None = None
    """The image with the source tag."""
    tagged: Image | None = None
    """The image with the desired tag."""

    @property
    def in_place(self) -> bool:
        return self.source is not None and self.tagged is not None and self.source.digest == self.tagged.digest
