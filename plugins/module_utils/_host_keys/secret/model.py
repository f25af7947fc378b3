# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A cluster's host keys, desired and observed."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ..._core.arn import ClusterArn
from ..._ssh.public_key import HOST_KEY_TYPES
from .. import rotation
from ..keys import HostKey, Publication, public_keys

HOST_KEYS, HOST_CA = "host_keys", "host_ca"
PRESENT, ABSENT, QUERY = STATES = ("present", "absent", "query")


@dataclass(frozen=True)
class Purpose:
    """What keys are used for: the last parts of the names of their secret and parameter, and a description."""

    secret: str
    parameter: str
    words: str


PURPOSES = {
    HOST_KEYS: Purpose("ssh-host-keys", "host-keys", "SSH host keys of the login nodes"),
    HOST_CA: Purpose("ssh-host-ca", "host-ca", "SSH key that signs the host keys of the login nodes"),
}


@dataclass(frozen=True)
class Desired:
    """The options, after validation."""

    arn: ClusterArn
    secret_name: str
    parameter: str
    words: str
    """Description of the content."""
    state: str = PRESENT
    kms_key_id: str | None = None
    key_types: tuple[str, ...] = HOST_KEY_TYPES
    recovery_days: int = 30
    force: bool = False
    public_keys: tuple[HostKey, ...] = ()
    """The public keys, if the private keys are stored elsewhere. The secret is then not used."""
    rotation: rotation.Rotation | None = None

    @classmethod
    def for_cluster(
        cls, arn: ClusterArn, *, purpose: str = HOST_KEYS, secret_name: str | None = None, **options: t.Any
    ) -> Desired:
        its = PURPOSES[purpose]
        return cls(
            arn=arn,
            secret_name=secret_name or f"mlfleet/hyperpod/{arn.id}/{its.secret}",
            parameter=f"/mlfleet/hyperpod/{arn.id}/{its.parameter}",
            words=its.words,
            **options,
        )

    @property
    def lost_race(self) -> str:
        """Message if other processes create and remove the secret in every attempt."""
        return f"Secret {self.secret_name} was created and removed concurrently several times. Run again later."


@dataclass(frozen=True)
class HostKeys:
    """The observed state, with public keys only."""

    secret_arn: str | None = None
    keys: tuple[HostKey, ...] | None = None
    """None if there is no secret, or if the secret was not read. In a plan, some keys may not exist yet."""
    deleted: str = ""
    """The date of the secret's scheduled deletion; empty if none is scheduled. Until that date, it can be restored."""
    tags: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    content: rotation.Content | None = None
    """The content of the secret without private keys: sets and dates."""
    published: tuple[HostKey, ...] | None = None
    published_next: tuple[HostKey, ...] = ()
    published_previous: tuple[HostKey, ...] = ()

    @property
    def public(self) -> Publication:
        """The public keys to publish. The previous set is included until no login node presents it."""
        previous = (self.content or {}).get("previous") or {}
        return Publication(
            self.keys or (),
            public_keys((self.content or {}).get("next")),
            () if previous.get("settled") else public_keys(previous or None),
        )

    @property
    def publication(self) -> Publication | None:
        """The published public keys; None if there is no parameter."""
        if self.published is None:
            return None
        return Publication(self.published, self.published_next, self.published_previous)

    def published_as(self, public: Publication | None) -> HostKeys:
        """This state with a different publication, or with none."""
        found = public or Publication(())
        return dataclasses.replace(
            self,
            published=found.keys if public else None,
            published_next=found.next,
            published_previous=found.previous,
        )


def summary(held: rotation.Content, name: str) -> t.Any:
    """A set as a change shows it: generation, dates and fingerprints."""
    of_set = held if name == "keys" else held.get(name)
    if not of_set:
        return None
    dates = {key: of_set[key] for key in ("created", "retired", "settled") if key in of_set}
    return {
        "generation": of_set.get("generation", 1),
        **dates,
        "restorable": rotation.is_usable(of_set),
        "fingerprints": [key.fingerprint for key in public_keys(of_set)],
    }
