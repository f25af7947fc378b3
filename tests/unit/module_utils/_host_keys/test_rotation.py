# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotating shared host keys: which set becomes which, what is refused, and what a secret then holds."""

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


def turned(text: str, *kinds: str, now: datetime.datetime = LATER) -> str:
    for kind in kinds:
        text = host_keys.rotated("name", text, kind, seen=host_keys.content("name", text), now=now)
    return text


def asked(kind: str, **options) -> rotation.Rotation:
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
        Desired.for_cluster(ARN, key_types=("ed25519",), rotation=asked(kind, **options)), observed(text)
    )


STARTED = turned(TEXT, "start", now=NOW)
FINISHED = turned(STARTED, "finish")
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
def test_sets_after_a_rotation(text, kinds, expected, restorable):
    after = turned(text, *kinds)
    assert generations(after) == expected
    if restorable is not None:
        assert rotation.is_usable(json.loads(after)["previous"]) is restorable


def test_the_keys_of_a_set_move_whole():
    bare, started, finished = (json.loads(text) for text in (TEXT, STARTED, FINISHED))
    assert finished["keys"] == started["next"]["keys"] != bare["keys"]
    assert finished["previous"]["keys"] == bare["keys"]
    assert json.loads(turned(FINISHED, "rollback"))["keys"] == bare["keys"]
    assert (finished["created"], finished["previous"]["retired"]) == (iso_seconds(NOW), iso_seconds(LATER))


def test_an_emergency_keeps_no_private_key_of_before():
    private = [each["keys"]["ed25519"]["private"] for each in (json.loads(STARTED), json.loads(STARTED)["next"])]
    after = json.loads(turned(STARTED, "emergency"))
    assert after["keys"]["ed25519"]["private"] not in private
    assert not any(line in json.dumps(after) for text in private for line in text.splitlines()[2:-2])


@pytest.mark.parametrize(
    ("text", "kind", "due"),
    [
        (TEXT, "start", True),
        (STARTED, "start", False),
        (STARTED, "finish", True),
        (FINISHED, "finish", False),
        (turned(FINISHED, "settle"), "finish", False),
        (TEXT, "rollback", False),
        (STARTED, "rollback", True),
        (FINISHED, "rollback", True),
        (turned(FINISHED, "rollback"), "rollback", False),
        (turned(STARTED, "rollback"), "rollback", False),
        (turned(TEXT, "emergency"), "rollback", False),
        (FINISHED, "settle", True),
        (turned(FINISHED, "settle"), "settle", False),
        (TEXT, "settle", False),
        (TEXT, "emergency", True),
    ],
)
def test_what_was_done_is_not_done_again(text, kind, due):
    assert rotation.is_due(host_keys.content("name", text), asked(kind)) is due
    assert [step.operation for step in planned(text, kind).steps][:1] == (["PutSecretValue"] if due else [])


@pytest.mark.parametrize("text", [TEXT, turned(STARTED, "rollback"), turned(FINISHED, "rollback")])
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
def test_finish_waits_for_people(days, options, fine):
    now = NOW + datetime.timedelta(days=days)
    if fine:
        assert planned(STARTED, "finish", now=now, **options)
        return
    with pytest.raises(Refused, match="from 2026-12-21T12:00:00Z on"):
        planned(STARTED, "finish", now=now, **options)


@pytest.mark.parametrize("kind", ["start", "emergency"])
def test_keys_to_come_are_said_to_be_unknown(kind):
    predicted = result(Desired.for_cluster(ARN), planned(TEXT, kind).after(observed(TEXT)))
    new = predicted["next_host_keys"] if kind == "start" else predicted["host_keys"]
    assert [(key["type"], key["public_key"]) for key in new] == [("ed25519", KNOWN_AFTER_APPLY)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [(TEXT, (1, 0, 0)), (STARTED, (1, 1, 0)), (FINISHED, (1, 0, 1)), (turned(FINISHED, "settle"), (1, 0, 0))],
)
def test_what_is_published(text, expected):
    seen = observed(text)
    assert (len(seen.public.keys), len(seen.public.next), len(seen.public.previous)) == expected
    told = result(Desired.for_cluster(ARN), seen)["rotation"]
    assert (told["phase"], told["settled"]) == ("announced" if expected[1] else "none", not expected[2])


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


def test_a_rotation_needs_keys():
    with pytest.raises(Refused, match="rotation: 'start' is not allowed: secret .* does not exist yet"):
        plan_present(Desired.for_cluster(ARN, rotation=asked("start")), HostKeys())


def test_a_secret_that_somebody_changed_meanwhile_is_left():
    with pytest.raises(Refused, match="changed concurrently"):
        host_keys.rotated("name", STARTED, "start", seen=host_keys.content("name", TEXT), now=NOW)


def test_an_old_secret_without_a_generation_is_the_first():
    data = json.loads(TEXT)
    del data["generation"]
    assert generations(turned(json.dumps(data), "start")) == {"keys": 1, "next": 2}


@pytest.mark.parametrize("name", ["next", "previous"])
def test_damaged_sets_are_refused_without_quoting_them(name):
    data = json.loads(STARTED)
    pair = {**data["keys"]["ed25519"], "public": data["next"]["keys"]["ed25519"]["public"]}
    data[name] = {"generation": 2, "created": "x", "keys": {"ed25519": pair}}
    with pytest.raises(Refused, match="do not belong together") as raised:
        host_keys.content("name", json.dumps(data))
    assert pair["private"].splitlines()[2] not in str(raised.value)


class Service:
    """Secrets Manager with one secret: it answers with what was written last."""

    text = STARTED

    def get_secret_value(self, **_request):
        return {"SecretString": self.text}

    def put_secret_value(self, *, SecretString, **_request):  # pylint: disable=invalid-name
        self.text = SecretString
        return {}


class LateService(Service):
    """Reads the old text once more after the new one was read back."""

    old: list[str]

    def put_secret_value(self, *, SecretString, **_request):  # pylint: disable=invalid-name
        self.old = [SecretString, self.text]
        return super().put_secret_value(SecretString=SecretString)

    def get_secret_value(self, **_request):
        return {"SecretString": self.old.pop(0)} if getattr(self, "old", []) else super().get_secret_value()

    def describe_secret(self, **_request):
        return {"ARN": "arn", "Name": "name"}


def test_keys_before_a_rotation_are_not_taken_for_those_after(stubbed):
    ssm, stubber = stubbed("ssm")
    stubber.add_client_error("get_parameter", "ParameterNotFound")
    wanted = Desired.for_cluster(ARN, key_types=("ed25519",), rotation=asked("finish"))
    observer = Observer(Api(LateService()), Api(ssm), wanted, clock=Clock(sleep=lambda seconds: None))
    Applier(wanted, observer)(plan_present(wanted, observed(STARTED)).steps[0])
    assert observer().content["generation"] == 2


def test_the_store_writes_what_was_planned(stubbed):
    service = Service()
    ssm, _unused = stubbed("ssm")
    wanted = Desired.for_cluster(ARN, key_types=("ed25519",), rotation=asked("finish"))
    Applier(wanted, Observer(Api(service), Api(ssm), wanted))(plan_present(wanted, observed(STARTED)).steps[0])
    assert generations(service.text) == {"keys": 2, "previous": 1}
    assert json.loads(service.text)["keys"] == json.loads(FINISHED)["keys"]
