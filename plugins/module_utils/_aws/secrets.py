# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Operations on individual secrets of Secrets Manager, by name."""

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
"""Maximum wait for a permanent deletion, which AWS completes in the background. Until then, the name can't be used again."""
_GOING = ("marked for deletion", "scheduled for deletion", "was deleted", "marked deleted")
"""Parts of the message of the InvalidRequestException that every operation returns for a secret that is being deleted."""


@dataclass(frozen=True)
class Kept:
    """The metadata of a secret, without its value."""

    name: str
    tags: t.Mapping[str, str] = field(default_factory=dict)
    deleted: str = ""
    """The date of a scheduled deletion; empty if none is scheduled. Until the deletion, the secret can be restored."""
    arn: str = ""


class Secrets:
    """Values can be private keys. They are not stored in this object, and no message shows them."""

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
        """All secrets whose names begin with ``prefix``, including those that are scheduled for deletion."""
        found = self._api.pages(
            "ListSecrets",
            "SecretList",
            about=f"secrets {prefix}*",
            Filters=[{"Key": "name", "Values": [prefix]}],
            IncludePlannedDeletion=True,
        )
        return [_kept(about) for about in found if about["Name"].startswith(prefix)]

    def text(self, name: str) -> str:
        """The secret's value, which may be a private key. For a secret without a value, AWS returns an error."""
        value: str = self._api.call("GetSecretValue", about=f"secret {name}", SecretId=name).get("SecretString", "")
        return value

    def text_if_any(self, name: str) -> str | None:
        """Like :meth:`text`; None if the secret does not exist or is scheduled for deletion."""
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
        :raises LostRace: if the secret exists with a different value.
        :raises WaitTimeout: if a secret of this name is scheduled for deletion, and the deletion does not end.
        """
        arguments = {
            "Name": name,
            "Description": description,
            # All retries of this call use one token, so a retry after a lost reply does not create a second secret.
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
            if self.text(name) != text:  # if equal, the reply to an earlier try was lost
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
        """Restore the secret, and wait until it can be read again, which takes a moment.

        :raises LostRace: if the secret was deleted permanently and no longer exists.
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
        """Delete the secret after ``days``; without ``days``, delete it permanently and immediately."""
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
        """Wait until the service returns the new value, which can take a moment."""
        wait_for(
            lambda: self.text_if_any(name) == text,
            done=bool,
            subject=f"secret {name}",
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not returning its new value",
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
