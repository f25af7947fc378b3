# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where profiles come from and go to: the endpoint's export and people's secrets, and files of mode 0600."""

from __future__ import annotations

import datetime
import os
import secrets as randomness
import stat
import tempfile
import typing as t

from ..._aws.client import Api
from ..._aws.secrets import Kept, Secrets
from ..._core.failure import Refused
from ..._core.plan import Secret, Step
from ..pki import contents as pki_contents
from ..pki.values import Certificate, has_ended
from . import plan as profile
from .plan import File, Profile, State, Wanted

EXPORT = "ExportClientVpnClientConfiguration"


class Profiles:
    """The profiles of the people that are asked for. Their texts never leave this object but into files."""

    def __init__(self, ec2: Api | None, secrets: Secrets | None, wanted: Wanted) -> None:
        """Without clients for files that are only removed."""
        self._ec2 = ec2
        self._secrets = secrets
        self._wanted = wanted
        self._texts: dict[str, tuple[Certificate, str]] | None = None

    def observe(self) -> State:
        """AWS is asked once; only files are looked at again.

        :raises Refused: for a secret that holds something else.
        """
        found = {name: self._content(name) for name in self._wanted.people}
        if self._texts is None:
            self._texts = self._made(found) if self._wanted.present else {}
        profiles = {
            name: Profile(own.serial, own.not_after, Secret.of(text)) for name, (own, text) in self._texts.items()
        }
        return State(profiles, {name: self._file(name, text) for name, text in found.items() if text is not None})

    def ended(self, *, now: datetime.datetime) -> tuple[str, ...]:
        """Whose certificates do not hold any more."""
        return tuple(name for name, (own, _text) in (self._texts or {}).items() if has_ended(own.not_after, now=now))

    def apply(self, step: Step) -> None:
        name = step.arguments["name"]
        path = self._wanted.path(name)
        if step.operation == profile.REMOVE:
            os.unlink(path)
            return
        make_folder(self._wanted.folder)
        write(path, (self._texts or {})[name][1])

    def _made(self, found: t.Mapping[str, str | None]) -> dict[str, tuple[Certificate, str]]:
        wanted = self._wanted
        if not wanted.endpoint:
            return {}
        answer = t.cast(Api, self._ec2).call(
            EXPORT, about=f"endpoint {wanted.endpoint}", ClientVpnEndpointId=wanted.endpoint
        )
        exported = answer.get("ClientConfiguration") or ""
        if "remote " not in exported:
            raise Refused(f"Endpoint {wanted.endpoint} exported no configuration; associate it with a subnet first.")
        text = profile.configuration(exported, client=wanted.client)
        return {
            name: made
            for name in wanted.people
            if (made := self._joined(name, text, found.get(name) or "")) is not None
        }

    def _joined(self, name: str, text: str, have: str) -> tuple[Certificate, str] | None:
        secret = f"{self._wanted.prefix}/people/{name}"
        content = t.cast(Secrets, self._secrets).text_if_any(secret)
        if content is None:
            return None
        own = t.cast(Certificate, pki_contents.read_person(name, Kept(secret), content).certificate)
        key = pki_contents.private_key(secret, content) or ""
        label = ""
        if self._wanted.random_host_prefix:
            label = profile.label_in(have, text) or randomness.token_hex(4)
        return own, profile.joined(text, own.pem, key, label=label)

    def _content(self, name: str) -> str | None:
        try:
            with open(self._wanted.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Refused(f"folder: {self._wanted.path(name)} can't be read ({error.strerror}).") from None

    def _file(self, name: str, text: str) -> File:
        mode = stat.S_IMODE(os.stat(self._wanted.path(name)).st_mode)
        return File(Secret.of(text), mode, profile.serial_in(text))


def make_folder(path: str) -> None:
    """With everything above it that is missing, for nobody else to read."""
    if not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        os.mkdir(path, 0o700)


def write(path: str, text: str) -> None:
    """Replace ``path`` so that readers see the old or the new file; the mode is right from the start."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
