# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Calls on single secrets of Secrets Manager, by name."""

from __future__ import annotations

import typing as t
import uuid
from dataclasses import dataclass, field

from .._core.failure import LostRace
from .._core.wait import wait_for
from .client import Api, AwsError
from .tags import api_tags, plain_tags

READ_BACK_SECONDS = 30.0
DELETION_SECONDS = 120.0
"""A permanent deletion continues in the background; the name cannot be used again before it ends."""
_GOING = ("marked for deletion", "scheduled for deletion", "was deleted", "marked deleted")
"""Text of the InvalidRequestException that every operation returns for such a secret."""


@dataclass(frozen=True)
class Kept:
    """A secret, without what it holds."""

    name: str
    tags: t.Mapping[str, str] = field(default_factory=dict)
    deleted: str = ""
    """The date of deletion of a secret that is scheduled for it; it can still be restored."""
    arn: str = ""


class Secrets:
    """Values can be private keys: they are not kept, and no message shows them."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def describe(self, name: str) -> Kept | None:
        try:
            return _kept(self._api.call("DescribeSecret", about=f"secret {name}", SecretId=name))
        except AwsError as error:
            if error.code == "ResourceNotFoundException":
                return None
            raise

    def below(self, prefix: str) -> list[Kept]:
        """All secrets whose names begin so, also those that are scheduled for deletion."""
        found = self._api.pages(
            "ListSecrets",
            "SecretList",
            about=f"secrets {prefix}*",
            Filters=[{"Key": "name", "Values": [prefix]}],
            IncludePlannedDeletion=True,
        )
        return [_kept(about) for about in found if about["Name"].startswith(prefix)]

    def text(self, name: str) -> str:
        """Its content, including a private key. A secret without a value is an error: it is not filled here."""
        value: str = self._api.call("GetSecretValue", about=f"secret {name}", SecretId=name).get("SecretString", "")
        return value

    def text_if_any(self, name: str) -> str | None:
        """As :meth:`text`; None without a secret, or if it is scheduled for deletion."""
        try:
            return self.text(name)
        except AwsError as error:
            if error.code == "ResourceNotFoundException" or _is_going(error):
                return None
            raise

    def create(
        self, name: str, text: str, *, description: str, tags: t.Mapping[str, str], kms_key_id: str | None = None
    ) -> None:
        """
        :raises LostRace: if there is one with another content.
        :raises WaitTimeout: if one of this name is scheduled for deletion, and stays.
        """
        arguments = {
            "Name": name,
            "Description": description,
            # One token for all tries of this call, so a try whose answer was lost is not a second secret.
            "ClientRequestToken": str(uuid.uuid4()),
            "SecretString": text,
            "Tags": api_tags(tags),
            **({"KmsKeyId": kms_key_id} if kms_key_id else {}),
        }
        try:
            self._once_deletion_is_through("CreateSecret", name, arguments)
        except AwsError as error:
            if error.code != "ResourceExistsException":
                raise
            if self.text(name) != text:  # else the answer to an earlier try was lost
                raise LostRace from None
        self._read_back(name, text)

    def put(self, name: str, text: str) -> None:
        token = str(uuid.uuid4())  # as in create
        self._api.call(
            "PutSecretValue", about=f"secret {name}", SecretId=name, ClientRequestToken=token, SecretString=text
        )
        self._read_back(name, text)

    def tag(self, name: str, tags: t.Mapping[str, str]) -> None:
        self._api.call("TagResource", about=f"secret {name}", SecretId=name, Tags=api_tags(tags))

    def restore(self, name: str) -> None:
        """Until it can be read again, which takes a moment.

        :raises LostRace: if it was deleted for good, and is gone by now.
        """
        try:
            self._once_deletion_is_through("RestoreSecret", name, {"SecretId": name})
        except AwsError as error:
            if error.code == "ResourceNotFoundException":
                raise LostRace from None
            raise
        wait_for(
            lambda: self.text_if_any(name) is not None,
            done=bool,
            subject=f"secret {name}",
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not readable, although it was restored,",
        )

    def delete(self, name: str, *, days: int | None) -> None:
        """Without ``days`` for good and at once."""
        how: dict[str, t.Any] = {"RecoveryWindowInDays": days} if days else {"ForceDeleteWithoutRecovery": True}
        try:
            self._api.call("DeleteSecret", about=f"secret {name}", SecretId=name, **how)
        except AwsError as error:
            if error.code != "ResourceNotFoundException":
                raise

    def _once_deletion_is_through(self, operation: str, name: str, arguments: t.Mapping[str, t.Any]) -> None:
        def called() -> bool:
            try:
                self._api.call(operation, about=f"secret {name}", **arguments)
            except AwsError as error:
                if _is_going(error):
                    return False
                raise
            return True

        wait_for(
            called,
            done=bool,
            subject=f"secret {name}",
            timeout=DELETION_SECONDS,
            interval=5.0,
            state=lambda seen: "scheduled for deletion",
        )

    def _read_back(self, name: str, text: str) -> None:
        """A new value can take a moment until every part of the service returns it."""
        wait_for(
            lambda: self.text_if_any(name) == text,
            done=bool,
            subject=f"secret {name}",
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not readable as it was written",
        )


def _is_going(error: AwsError) -> bool:
    response = getattr(error.exception, "response", None) or {}
    said = response.get("Error", {}).get("Message", "")
    return error.code == "InvalidRequestException" and any(words in said for words in _GOING)


def _kept(about: t.Mapping[str, t.Any]) -> Kept:
    deleted = about.get("DeletedDate")
    return Kept(
        name=about["Name"],
        tags=plain_tags(about.get("Tags")),
        deleted=deleted.isoformat(timespec="seconds") if deleted else "",
        arn=about["ARN"],
    )
