# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of shared host keys: the sets of keys, refusals, and the contents of the secret."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys, rotation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import Desired, HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.plan import plan_present
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.result import result

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
LATER = NOW + datetime.timedelta(days=31)
TEXT = host_keys.generate(["ed25519"], now=NOW)


def rotated(text: str, *kinds: str, now: datetime.datetime = LATER) -> str:
    for kind in kinds:
        text = host_keys.rotated("name", text, kind, seen=host_keys.content("name", text), now=now)
    return text


def requested(kind: str, **options) -> rotation.Rotation:
    return rotation.Rotation(kind, **{"now": LATER, **options})


def observed(text: str) -> HostKeys:
    held = host_keys.content("name", text)
    seen = HostKeys(secret_arn="arn", keys=host_keys.public_keys(held), content=held)
    public = seen.public
    return HostKeys(
        secret_arn="arn",
        keys=seen.keys,
        content=held,
        published=public.keys,
        published_next=public.next,
        published_previous=public.previous,
    )


def planned(text: str, kind: str, **options):
    return plan_present(
        Desired.for_cluster(ARN, key_types=("ed25519",), rotation=requested(kind, **options)), observed(text)
    )


STARTED = rotated(TEXT, "start", now=NOW)
FINISHED = rotated(STARTED, "finish")
GENERATIONS = {"bare": TEXT, "started": STARTED, "finished": FINISHED}


def generations(text: str) -> dict[str, int]:
    data = json.loads(text)
    sets = {"keys": data, "next": data.get("next"), "previous": data.get("previous")}
    return {name: each.get("generation", 1) for name, each in sets.items() if each}


@pytest.mark.parametrize(
    ("text", "kinds", "expected", "restorable"),
    [
        (TEXT, ["start"], {"keys": 1, "next": 2}, None),
        (STARTED, ["finish"], {"keys": 2, "previous": 1}, True),
        (STARTED, ["rollback"], {"keys": 1}, None),
        (FINISHED, ["rollback"], {"keys": 1, "previous": 2}, False),
        (FINISHED, ["settle"], {"keys": 2, "previous": 1}, True),
        (FINISHED, ["settle", "rollback"], {"keys": 1, "previous": 2}, False),
        (FINISHED, ["rollback", "settle"], {"keys": 1}, None),
        (FINISHED, ["settle", "start"], {"keys": 2, "next": 3}, None),
        (FINISHED, ["start"], {"keys": 2, "next": 3, "previous": 1}, False),
        (TEXT, ["emergency"], {"keys": 2, "previous": 1}, False),
        (STARTED, ["emergency"], {"keys": 3, "previous": 1}, False),
        (TEXT, ["emergency", "settle"], {"keys": 2}, None),
    ],
)
def test_a_rotation_changes_the_sets(text, kinds, expected, restorable):
    after = rotated(text, *kinds)
    assert generations(after) == expected
    if restorable is not None:
        assert rotation.is_usable(json.loads(after)["previous"]) is restorable


def test_the_keys_of_a_set_move_together():
    bare, started, finished = (json.loads(text) for text in (TEXT, STARTED, FINISHED))
    assert finished["keys"] == started["next"]["keys"] != bare["keys"]
    assert finished["previous"]["keys"] == bare["keys"]
    assert json.loads(rotated(FINISHED, "rollback"))["keys"] == bare["keys"]
    assert (finished["created"], finished["previous"]["retired"]) == (iso_seconds(NOW), iso_seconds(LATER))


def test_an_emergency_keeps_no_earlier_private_key():
    private = [each["keys"]["ed25519"]["private"] for each in (json.loads(STARTED), json.loads(STARTED)["next"])]
    after = json.loads(rotated(STARTED, "emergency"))
    assert after["keys"]["ed25519"]["private"] not in private
    assert not any(line in json.dumps(after) for text in private for line in text.splitlines()[2:-2])


@pytest.mark.parametrize(
    ("text", "kind", "due"),
    [
        (TEXT, "start", True),
        (STARTED, "start", False),
        (STARTED, "finish", True),
        (FINISHED, "finish", False),
        (rotated(FINISHED, "settle"), "finish", False),
        (TEXT, "rollback", False),
        (STARTED, "rollback", True),
        (FINISHED, "rollback", True),
        (rotated(FINISHED, "rollback"), "rollback", False),
        (rotated(STARTED, "rollback"), "rollback", False),
        (rotated(TEXT, "emergency"), "rollback", False),
        (FINISHED, "settle", True),
        (rotated(FINISHED, "settle"), "settle", False),
        (TEXT, "settle", False),
        (TEXT, "emergency", True),
    ],
)
def test_a_finished_rotation_is_not_repeated(text, kind, due):
    assert rotation.is_due(host_keys.content("name", text), requested(kind)) is due
    assert [step.operation for step in planned(text, kind).steps][:1] == (["PutSecretValue"] if due else [])


@pytest.mark.parametrize("text", [TEXT, rotated(STARTED, "rollback"), rotated(FINISHED, "rollback")])
def test_finish_needs_a_start(text):
    with pytest.raises(Refused, match="^rotation: 'finish' is not allowed: no rotation was started"):
        planned(text, "finish")


@pytest.mark.parametrize(
    ("days", "options", "fine"),
    [
        (29, {}, False),
        (30, {}, True),
        (1, {"minimum_days": 1}, True),
        (0, {"minimum_days": 0}, True),
        (1, {"force": True}, True),
    ],
)
def test_finish_is_refused_before_the_minimum_days(days, options, fine):
    now = NOW + datetime.timedelta(days=days)
    if fine:
        assert planned(STARTED, "finish", now=now, **options)
        return
    with pytest.raises(Refused, match="from 2026-12-21T12:00:00Z on"):
        planned(STARTED, "finish", now=now, **options)


@pytest.mark.parametrize("kind", ["start", "emergency"])
def test_new_keys_are_unknown_in_the_prediction(kind):
    predicted = result(Desired.for_cluster(ARN), planned(TEXT, kind).after(observed(TEXT)))
    new = predicted["next_host_keys"] if kind == "start" else predicted["host_keys"]
    assert [(key["type"], key["public_key"]) for key in new] == [("ed25519", KNOWN_AFTER_APPLY)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [(TEXT, (1, 0, 0)), (STARTED, (1, 1, 0)), (FINISHED, (1, 0, 1)), (rotated(FINISHED, "settle"), (1, 0, 0))],
)
def test_public_keys_of_all_sets_are_published(text, expected):
    seen = observed(text)
    assert (len(seen.public.keys), len(seen.public.next), len(seen.public.previous)) == expected
    returned = result(Desired.for_cluster(ARN), seen)["rotation"]
    assert (returned["phase"], returned["settled"]) == ("announced" if expected[1] else "none", not expected[2])


def test_a_plan_shows_no_private_key():
    for text in GENERATIONS.values():
        lines = [line for line in json.dumps(json.loads(text)).split("\\n") if len(line) > 60]
        for kind in ("start", "finish", "rollback", "emergency", "settle"):
            if (text, kind) == (TEXT, "finish"):
                continue
            plan = planned(text, kind)
            after = plan.after(observed(text))
            shown = repr(plan) + repr(after) + json.dumps(plan.diff()) + json.dumps(result(Desired.for_cluster(ARN), after))
            assert not any(line in shown for line in lines)


def test_a_rotation_without_a_secret_is_refused():
    with pytest.raises(Refused, match="rotation: 'start' is not allowed: secret .* does not exist yet"):
        plan_present(Desired.for_cluster(ARN, rotation=requested("start")), HostKeys())


def test_a_secret_that_was_changed_concurrently_is_refused():
    with pytest.raises(Refused, match="changed concurrently"):
        host_keys.rotated("name", STARTED, "start", seen=host_keys.content("name", TEXT), now=NOW)


def test_a_secret_without_a_generation_is_the_first():
    data = json.loads(TEXT)
    del data["generation"]
    assert generations(rotated(json.dumps(data), "start")) == {"keys": 1, "next": 2}


@pytest.mark.parametrize("name", ["next", "previous"])
def test_damaged_sets_are_refused_without_quoting_them(name):
    data = json.loads(STARTED)
    pair = {**data["keys"]["ed25519"], "public": data["next"]["keys"]["ed25519"]["public"]}
    data[name] = {"generation": 2, "created": "x", "keys": {"ed25519": pair}}
    with pytest.raises(Refused, match="private and public keys do not match") as raised:
        host_keys.content("name", json.dumps(data))
    assert pair["private"].splitlines()[2] not in str(raised.value)


class Service:
    """Secrets Manager with one secret, which returns the last value written."""

    text = STARTED

    def get_secret_value(self, **_request):
        return {"SecretString": self.text}

    def put_secret_value(self, *, SecretString, **_request):  # pylint: disable=invalid-name
        self.text = SecretString
        return {}


class LateService(Service):
    """Returns the new text once after a write, then the old text once more."""

    old: list[str]

    def put_secret_value(self, *, SecretString, **_request):  # pylint: disable=invalid-name
        self.old = [SecretString, self.text]
        return super().put_secret_value(SecretString=SecretString)

    def get_secret_value(self, **_request):
        return {"SecretString": self.old.pop(0)} if getattr(self, "old", []) else super().get_secret_value()

    def describe_secret(self, **_request):
        return {"ARN": "arn", "Name": "name"}


def test_a_late_read_does_not_return_the_keys_before_the_rotation(stubbed):
    ssm, stubber = stubbed("ssm")
    stubber.add_client_error("get_parameter", "ParameterNotFound")
    wanted = Desired.for_cluster(ARN, key_types=("ed25519",), rotation=requested("finish"))
    observer = Observer(Api(LateService()), Api(ssm), wanted, clock=Clock(sleep=lambda seconds: None))
    Applier(wanted, observer)(plan_present(wanted, observed(STARTED)).steps[0])
    assert observer().content["generation"] == 2


def test_the_planned_rotation_is_written(stubbed):
    service = Service()
    ssm, _unused = stubbed("ssm")
    wanted = Desired.for_cluster(ARN, key_types=("ed25519",), rotation=requested("finish"))
    Applier(wanted, Observer(Api(service), Api(ssm), wanted))(plan_present(wanted, observed(STARTED)).steps[0])
    assert generations(service.text) == {"keys": 2, "previous": 1}
    assert json.loads(service.text)["keys"] == json.loads(FINISHED)["keys"]
