# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parameters of Parameter Store, keyed by name, and consistent with this process's own writes.

For a moment after a write, reads can return the previous value. This process therefore caches its own writes with their
versions for ``REMEMBERED_SECONDS``, and prefers them to older values.
"""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass

from .client import Api, AwsError
from .tags import Tags, api_tags

NOT_FOUND = "ParameterNotFound"
EXISTS = "ParameterAlreadyExists"
REMEMBERED_SECONDS = 30.0
"""After this time, the cached write is ignored and the service's reply counts."""


@dataclass(frozen=True)
class _Written:
    text: str | None
    """None if the parameter was deleted."""
    version: int
    until: float


class Parameters:
    """Reads and writes parameters. ``about`` names the resource in messages."""

    def __init__(self, ssm: Api, *, now: t.Callable[[], float] = time.monotonic) -> None:
        self._ssm = ssm
        self._now = now
        self._written: dict[str, _Written] = {}

    def text(self, name: str, *, about: str) -> str | None:
        """The value of the parameter; None if the parameter does not exist."""
        try:
            found = self._ssm.call("GetParameter", about=about, Name=name)["Parameter"]
        except AwsError as error:
            if error.code != NOT_FOUND:
                raise
            found = None
        return self._newest(name, found)

    def below(self, path: str, *, about: str, recursive: bool = False) -> dict[str, str]:
        """The values of all parameters below ``path``, keyed by name. One call returns ten parameters."""
        found = self.listed(path, about=about, recursive=recursive)
        missing = [name for name in self._written if name not in found and _is_below(path, name, recursive=recursive)]
        texts = {name: self._newest(name, found.get(name)) for name in (*found, *missing)}
        return {name: text for name, text in texts.items() if text is not None}

    def listed(self, path: str, *, about: str, recursive: bool = False) -> dict[str, dict[str, t.Any]]:
        """The parameters that the service returns, keyed by name, without cached writes."""
        options = {"Recursive": True} if recursive else {}
        answers = self._ssm.pages("GetParametersByPath", "Parameters", about=about, Path=path, **options)
        return {answer["Name"]: answer for answer in answers}

    def create(
        self, name: str, text: str, *, about: str, tags: t.Mapping[str, str] | None = None, **more: t.Any
    ) -> None:
        """
        :raises AwsError: with the code ``EXISTS`` if the parameter exists, possibly from a first try whose reply was lost.
        """
        tagged = {"Tags": api_tags(tags)} if tags else {}
        self._put(name, text, about=about, Overwrite=False, **tagged, **more)

    def put(self, name: str, text: str, *, exists: bool, about: str, tags: Tags) -> None:
        """Create or overwrite the parameter, so that a retry after a lost reply succeeds."""
        if not exists:
            try:
                self.create(name, text, about=about, tags=tags)
                return
            except AwsError as error:
                if error.code != EXISTS:
                    raise
        self.overwrite(name, text, about=about)

    def overwrite(self, name: str, text: str, *, about: str, **more: t.Any) -> None:
        """Keeps the parameter's tags, because AWS does not accept tags in an overwrite."""
        self._put(name, text, about=about, Overwrite=True, **more)

    def delete(self, name: str, *, about: str) -> None:
        """A missing parameter is not an error."""
        try:
            self._ssm.call("DeleteParameter", about=about, Name=name)
        except AwsError as error:
            if error.code != NOT_FOUND:
                raise
        self._remember(name, None, 0)

    def outdated(self, *, about: str) -> list[str]:
        """The names of the parameters for which the service still returns a value from before a write of this process."""
        return [name for name, ours in self._written.items() if self._version(name, about=about) < ours.version]

    def _version(self, name: str, *, about: str) -> int:
        try:
            return int(self._ssm.call("GetParameter", about=about, Name=name)["Parameter"].get("Version", 0))
        except AwsError as error:
            if error.code != NOT_FOUND:
                raise
            return 0

    def _put(self, name: str, text: str, *, about: str, **more: t.Any) -> None:
        answer = self._ssm.call("PutParameter", about=about, Name=name, Type="String", Value=text, **more)
        self._remember(name, text, answer.get("Version", 0))

    def _remember(self, name: str, text: str | None, version: int) -> None:
        self._written[name] = _Written(text, version, self._now() + REMEMBERED_SECONDS)

    def _newest(self, name: str, found: t.Mapping[str, t.Any] | None) -> str | None:
        ours = self._written.get(name)
        if ours is not None and self._now() < ours.until:
            if found is None or ours.text is None or found.get("Version", 0) < ours.version:
                return ours.text
        return None if found is None else found["Value"]


def _is_below(path: str, name: str, *, recursive: bool) -> bool:
    prefix = f"{path}/"
    return name.startswith(prefix) and (recursive or "/" not in name[len(prefix) :])
