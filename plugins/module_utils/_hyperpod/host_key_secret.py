# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where a cluster's host keys live: the secret in Secrets Manager, and its public half in Parameter Store."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t
import uuid
from dataclasses import dataclass

from .._aws import Api, AwsError
from .._plan import KNOWN_AFTER_APPLY, Change, Plan, Refused, Step
from .._wait import wait_for
from .host_keys import KEY_TYPES, PublicKey, generate, public_half, publication, published
from .model import ClusterArn, collection_tags

COMPONENT = "login_nodes"
READ_BACK_SECONDS = 30.0

CREATE, DELETE = "CreateSecret", "DeleteSecret"
PUBLISH, UNPUBLISH = "PutParameter", "DeleteParameter"


class LostRace(Exception):
    """Somebody else created the secret between our look and our attempt; look again and use theirs."""


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

    arn: ClusterArn
    secret_name: str
    parameter: str
    kms_key_id: str | None = None
    key_types: tuple[str, ...] = KEY_TYPES
    recovery_days: int = 30
    force: bool = False
    public_keys: tuple[PublicKey, ...] = ()
    """The public halves of keys that live elsewhere; the secret plays no part then."""

    @classmethod
    def for_cluster(cls, arn: ClusterArn, *, secret_name: str | None = None, **options: t.Any) -> Wanted:
        return cls(
            arn=arn,
            secret_name=secret_name or f"mlfleet/hyperpod/{arn.id}/ssh-host-keys",
            parameter=f"/mlfleet/hyperpod/{arn.id}/host-keys",
            **options,
        )


@dataclass(frozen=True)
class HostKeys:
    """What is there: public halves only."""

    secret_arn: str | None = None
    keys: tuple[PublicKey, ...] | None = None
    """None if there is no secret, or if it was not read."""
    deleted: str = ""
    """The date of deletion of a secret that is scheduled for it; it can still be restored."""
    tags: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    published: tuple[PublicKey, ...] | None = None
    generated: tuple[str, ...] = ()
    """Types of the keys that would be made, in a prediction."""

    def to_result(self, wanted: Wanted) -> dict[str, t.Any]:
        unknown = {"public_key": KNOWN_AFTER_APPLY, "fingerprint": KNOWN_AFTER_APPLY}
        known = self.keys if self.keys is not None else self.published or ()
        return {
            "host_keys": [{"type": each, **unknown} for each in self.generated] or [key.to_result() for key in known],
            "secret": {
                "name": None if wanted.public_keys else wanted.secret_name,
                "arn": None if self.deleted else self.secret_arn,
            },
            "parameter": wanted.parameter,
        }


def plan_present(wanted: Wanted, seen: HostKeys) -> Plan:
    """Make the keys only if there is truly no secret, and publish what the secret holds, or the given public keys.

    :raises Refused: if the secret is scheduled for deletion.
    """
    if wanted.public_keys:
        return _plan_published(wanted, seen, wanted.public_keys)
    if seen.deleted:
        raise Refused(
            f"Secret {wanted.secret_name} of cluster {wanted.arn.id} is scheduled for deletion ({seen.deleted}); new "
            "keys would make every client warn. Restore it (aws secretsmanager restore-secret --secret-id "
            f"{wanted.secret_name}), or delete it for good, then run again."
        )
    if seen.secret_arn is None:
        created = Change("create", f"secret {wanted.secret_name}", "keys", None, list(wanted.key_types))
        predicted = dataclasses.replace(seen, secret_arn=KNOWN_AFTER_APPLY, generated=wanted.key_types)
        steps = (Step(CREATE, {}, (created,)), _publish(wanted, seen, KNOWN_AFTER_APPLY))
        return Plan(steps=steps, predicted=predicted)
    missing = [each for each in wanted.key_types if each not in [key.type for key in seen.keys or ()]]
    notes = (f"Secret {wanted.secret_name} has no key of type {', '.join(missing)}.",) if missing else ()
    return dataclasses.replace(_plan_published(wanted, seen, seen.keys or ()), notes=notes)


def plan_absent(wanted: Wanted, seen: HostKeys) -> Plan:
    """Remove the secret, which can be restored for some days unless forced, and its public half.

    :raises Refused: if the secret does not carry our tag: somebody else made it.
    """
    steps = []
    if seen.secret_arn is not None and not seen.deleted:
        if seen.tags.get("mlfleet.hyperpod/cluster") != wanted.arn.text:
            raise Refused(
                f"Secret {wanted.secret_name} has no tag mlfleet.hyperpod/cluster={wanted.arn.text}, so it was not "
                "made for this cluster by this collection; it was left as it is."
            )
        how = "for good" if wanted.force else f"can be restored for {wanted.recovery_days} days"
        arguments = {"force": wanted.force, "days": wanted.recovery_days}
        steps.append(Step(DELETE, arguments, (Change("delete", f"secret {wanted.secret_name}", "deletion", how),)))
    if seen.published is not None:
        before = [key.fingerprint for key in seen.published]
        change = Change("delete", f"parameter {wanted.parameter}", "public keys", before)
        steps.append(Step(UNPUBLISH, {}, (change,)))
    return Plan(steps=tuple(steps), predicted=HostKeys() if steps else seen)


class HostKeyStore:
    """The secret and the parameter of one cluster."""

    def __init__(self, secrets: Api, ssm: Api, wanted: Wanted) -> None:
        self._secrets = secrets
        self._ssm = ssm
        self._wanted = wanted
        self._about = f"secret {wanted.secret_name}"

    def observe(self, *, read: bool = True) -> HostKeys:
        """What is there. Without ``read`` the secret's content is not looked at, with given public keys no secret.

        :raises AwsError: for any answer but the secret or its certain absence.
        :raises Refused: for a secret that holds something else.
        """
        secret = HostKeys() if self._wanted.public_keys else self._secret(read=read)
        return dataclasses.replace(secret, published=self.published())

    def published(self) -> tuple[PublicKey, ...] | None:
        """The public half, readable without access to the secret."""
        name = self._wanted.parameter
        try:
            answer = self._ssm.call("GetParameter", about=f"parameter {name}", Name=name)
        except AwsError as error:
            if error.code == "ParameterNotFound":
                return None
            raise
        return published(name, answer["Parameter"]["Value"])

    def apply(self, step: Step) -> None:
        if step.operation == CREATE:
            self._create()
        elif step.operation == PUBLISH:
            self._publish(exists=step.arguments["exists"])
        elif step.operation == DELETE:
            self._delete(force=step.arguments["force"], days=step.arguments["days"])
        else:
            self._unpublish()

    def _secret(self, *, read: bool = True) -> HostKeys:
        name = self._wanted.secret_name
        try:
            about = self._secrets.call("DescribeSecret", about=self._about, SecretId=name)
        except AwsError as error:
            if error.code == "ResourceNotFoundException":
                return HostKeys()
            raise
        tags = {tag["Key"]: tag["Value"] for tag in about.get("Tags", ())}
        seen = HostKeys(secret_arn=about["ARN"], tags=tags)
        if about.get("DeletedDate"):
            return dataclasses.replace(seen, deleted=about["DeletedDate"].isoformat(timespec="seconds"))
        if not read:
            return seen
        # A secret without a value answers "not found" here too, and is an error: it is not ours to fill.
        value = self._secrets.call("GetSecretValue", about=self._about, SecretId=about["ARN"])
        return dataclasses.replace(seen, keys=public_half(name, value.get("SecretString", "")))

    def new_text(self) -> str:
        """What a secret that does not exist yet is to hold. It holds private keys: pass it on, never keep it."""
        return generate(self._wanted.key_types, now=datetime.datetime.now(datetime.timezone.utc))

    def _create(self) -> None:
        wanted = self._wanted
        encryption = {"KmsKeyId": wanted.kms_key_id} if wanted.kms_key_id else {}
        try:
            self._secrets.call(
                "CreateSecret",
                about=self._about,
                Name=wanted.secret_name,
                Description=f"SSH host keys of the login nodes of HyperPod cluster {wanted.arn.id}",
                # One token for all tries of this call, so a try whose answer was lost is not a second secret.
                ClientRequestToken=str(uuid.uuid4()),
                SecretString=self.new_text(),
                Tags=collection_tags(wanted.arn, COMPONENT),
                **encryption,
            )
        except AwsError as error:
            if error.code == "ResourceExistsException":
                raise LostRace from error
            raise
        self._read_back()

    def _read_back(self) -> HostKeys:
        """What was just created may take a moment until every part of the service knows it."""
        return wait_for(
            self._secret,
            done=lambda seen: seen.keys is not None,
            subject=self._about,
            timeout=READ_BACK_SECONDS,
            interval=1.0,
            state=lambda seen: "not readable",
        )

    def _publish(self, *, exists: bool) -> None:
        keys = self._wanted.public_keys or self._read_back().keys or ()
        if not exists:  # tags and overwriting exclude each other
            tags = collection_tags(self._wanted.arn, COMPONENT)
            try:
                self._put(keys, Overwrite=False, Tags=tags)
                return
            except AwsError as error:
                if error.code != "ParameterAlreadyExists":  # also the answer to a try whose answer was lost
                    raise
        if self.published() != keys:
            self._put(keys, Overwrite=True)

    def _put(self, keys: tuple[PublicKey, ...], **options: t.Any) -> None:
        name = self._wanted.parameter
        self._ssm.call(
            "PutParameter",
            about=f"parameter {name}",
            Name=name,
            Type="String",
            Description="Public SSH host keys of the login nodes",
            Value=publication(keys),
            **options,
        )

    def _delete(self, *, force: bool, days: int) -> None:
        how: dict[str, t.Any] = {"ForceDeleteWithoutRecovery": True} if force else {"RecoveryWindowInDays": days}
        try:
            self._secrets.call("DeleteSecret", about=self._about, SecretId=self._wanted.secret_name, **how)
        except AwsError as error:
            if error.code != "ResourceNotFoundException":
                raise

    def _unpublish(self) -> None:
        name = self._wanted.parameter
        try:
            self._ssm.call("DeleteParameter", about=f"parameter {name}", Name=name)
        except AwsError as error:
            if error.code != "ParameterNotFound":
                raise


def _plan_published(wanted: Wanted, seen: HostKeys, keys: tuple[PublicKey, ...]) -> Plan:
    if seen.published == keys:
        return Plan(predicted=seen)
    step = _publish(wanted, seen, [key.fingerprint for key in keys])
    return Plan(steps=(step,), predicted=dataclasses.replace(seen, published=keys))


def _publish(wanted: Wanted, seen: HostKeys, after: t.Any) -> Step:
    exists = seen.published is not None
    before = [key.fingerprint for key in seen.published or ()] if exists else None
    change = Change("update" if exists else "create", f"parameter {wanted.parameter}", "public keys", before, after)
    return Step(PUBLISH, {"exists": exists}, (change,))
