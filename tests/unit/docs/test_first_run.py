"""The commands in docs/reference/first-run-on-aws.md exist in the AWS CLI, with their services, operations and options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import botocore
import botocore.session
import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "first-run-on-aws.md"
GLOBAL = {"query", "output", "profile", "region"}
SESSION = botocore.session.get_session()


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
    return [each.rstrip(")") for block in blocks for each in re.findall(r"\baws [a-z].*?(?=$|; (?:done|date)|  +#)", block, re.M)]


def test_commands_were_found():
    assert len(commands()) > 30


@pytest.mark.parametrize("command", commands())
def test_a_command_and_its_options_exist(command):
    _aws, service, operation, *rest = shlex.split(command, comments=True)
    if operation == "wait":
        model, waiter = SESSION.get_waiter_model(service), rest.pop(0)
        names = {botocore.xform_name(name, "-"): model.get_waiter(name).operation for name in model.waiter_names}
        operation = botocore.xform_name(names[waiter], "-")
    model = SESSION.get_service_model(service)
    operations = {botocore.xform_name(name, "-"): name for name in model.operation_names}
    assert operation in operations
    shape = model.operation_model(operations[operation]).input_shape
    options = {botocore.xform_name(name, "-") for name in shape.members}
    given = {word[2:] for word in rest if word.startswith("--")}
    assert given - options - GLOBAL == set()
    required = {botocore.xform_name(name, "-") for name in shape.required_members}
    assert required - given == set()
