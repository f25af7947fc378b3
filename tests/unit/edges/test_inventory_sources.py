# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory sources as people write them, read by a real ansible-inventory: errors and missing parts are reported."""

from __future__ import annotations

import json
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml
from simulated import REGION, hostile

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("sources")) as here:
        yield here


@pytest.fixture
def source(tmp_path: Path) -> t.Callable[..., str]:
    """A function that writes a source with these options and returns its path."""

    def write(name: str = "hyperpod.yml", **options: t.Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"plugin": "mlfleet.hyperpod.hyperpod", "regions": [REGION], **options}))
        return str(path)

    return write


def listed(world: hostile.World, *sources: str, **variables: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """The finished process, and its standard error on one line."""
    words = [word for each in sources for word in ("-i", each)]
    done = world._ansible("inventory", *words, "--list", "--export", ANSIBLE_INVENTORY="", **variables)
    return done, " ".join(done.stderr.split())


def of_all(done: subprocess.CompletedProcess[str], name: str) -> list[str]:
    found = json.loads(done.stdout)["all"]["vars"][name]
    return [each["__ansible_unsafe"] if isinstance(each, dict) else each for each in found]


def test_filters_without_a_match_are_reported(world: hostile.World, source: t.Callable[..., str]) -> None:
    wrong = {"tags": {"team": "resaerch"}}
    message = "default credentials, region us-west-2: 2 clusters found; 2 excluded by filters.tags.team: resaerch"
    done, printed = listed(world, source(filters=wrong))
    assert done.returncode == 0 and f"no cluster matches: {message}" in printed, printed
    assert [each.partition(": ")[2] for each in of_all(done, "hyperpod_inventory_read")] == [message]
    strict, printed = listed(world, source(filters=wrong, strict=True))
    assert strict.returncode != 0 and f"no cluster matches: {message}" in printed, printed


def test_every_source_reports_its_unreadable_parts(world: hostile.World, source: t.Callable[..., str]) -> None:
    """Failures of all sources are collected, not only those of the last one. A static inventory with such a name is left to other plugins."""
    accounts = [{"profile": "nosuch"}, {"clusters": ["ml"]}]
    first = source("one/hyperpod.yml", accounts=accounts)
    wrong = source("two/hyperpod.yml", threads=0)
    kind = source("three/hyperpod.yml", threads="many")
    broken = source("four/hyperpod.yml")
    Path(broken).write_text(Path(broken).read_text() + "accounts: [\n")
    twin = source("five/hyperpod.yml", clusters=[{"name": "other", "key": "ml"}])
    static = source("six/hyperpod.yml")
    Path(static).write_text("all: {hosts: {web1: {a: b}}}\n")
    last = source("seven/hyperpod.yml", clusters=["other"])
    done, printed = listed(
        world, first, wrong, kind, broken, twin, static, last,
        ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="false", ANSIBLE_INVENTORY_ENABLED="mlfleet.hyperpod.hyperpod,yaml",
    )  # fmt: skip
    assert done.returncode == 0, printed
    failures = of_all(done, "hyperpod_inventory_failures")
    begin = ("profile nosuch, region us-west-2: ", f"{wrong}: threads: 0 is not")
    assert [each for each in failures if each.startswith(begin)] == failures[:2], failures
    assert kind in failures[2] and "threads" in failures[2] and broken in failures[3] and "\n" not in failures[3], failures
    ml, other = world.arns["ml"], world.arns["other"]
    text = f"{twin}: Two clusters have the key 'ml', or keys that result in the same group name: {ml} from a different inventory source and {other}. "
    assert failures[4].startswith(text)
    assert len(failures) == 5 and {"ml", "other", "web1"} <= json.loads(done.stdout)["_meta"]["hostvars"].keys(), failures


@pytest.mark.parametrize(("wrong", "meant"), [("region", "regions"), ("profiles", "profile"), ("keyed_group", "keyed_groups")])
def test_a_misspelt_option_is_refused(world: hostile.World, source: t.Callable[..., str], wrong: str, meant: str) -> None:
    done, printed = listed(world, source(**{wrong: "x"}), ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true")
    assert done.returncode != 0, printed
    assert f"the source: '{wrong}' is not allowed: the nearest name is {meant}. Allowed: accounts, cache," in printed


def test_every_option_is_accepted(world: hostile.World, source: t.Callable[..., str]) -> None:
    """This includes the options of documentation fragments."""
    options = {"cache": False, "cache_timeout": 60, "compose": {}, "groups": {}, "keyed_groups": [], "leading_separator": True}
    done, printed = listed(world, source(**options, use_extra_vars=True, threads=2, tags=False, private_key_file="~/.ssh/ops"))
    assert done.returncode == 0 and "not allowed" not in printed, printed


BARE = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


@pytest.mark.parametrize(
    ("options", "variables", "message"),
    [
        ({"regions": []}, {}, "no Region is set; set regions in the source, or region in the profile"),
        ({}, BARE, "Unable to locate credentials; set profile in the source to a profile of your AWS configuration, or"),
        ({"profile": "othre"}, {}, "(othre) could not be found; did you mean other? (profiles of the AWS configuration: default,"),
        ({"clusters": ["mll"]}, {}, "cluster mll: no such cluster exists; did you mean ml? The credentials can list: ml, other"),
    ],
    ids=["no region", "no credentials", "no such profile", "no such cluster"],
)
def test_a_failure_to_read_names_the_next_step(
    world: hostile.World,
    source: t.Callable[..., str],
    options: dict[str, t.Any],
    variables: dict[str, str],
    message: str,
) -> None:
    done, printed = listed(world, source(**options), ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true", **variables)
    assert done.returncode != 0 and message in printed, printed


def test_an_arn_of_another_account_is_reported(world: hostile.World, source: t.Callable[..., str]) -> None:
    foreign = world.arns["ml"].replace(":111111111111:", ":222222222222:")
    done, printed = listed(world, source(clusters=["ml", foreign]))
    assert done.returncode == 0, printed
    text = "the ARN belongs to account 222222222222, but the credentials belong to 111111111111; use a profile of 222222222222"
    assert text in printed


@pytest.mark.parametrize(
    "options",
    [
        {"keyed_groups": [{"key": "hyperpod_tags.team", "prefix": "team"}]},
        {"groups": {"team_research": "hyperpod_tags.team == 'research'"}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_that_use_tags_read_the_tags(world: hostile.World, source: t.Callable[..., str], options: dict[str, t.Any]) -> None:
    """The group has the cluster's host and all its nodes."""
    world.aws.client("sagemaker").add_tags(ResourceArn=world.arns["ml"], Tags=[{"Key": "team", "Value": "research"}])
    done, printed = listed(world, source(**options))
    found = json.loads(done.stdout)
    assert sorted(found["team_research"]["hosts"]) == sorted(found["cluster_ml"]["hosts"]), printed


def test_an_unknown_instance_group_is_a_warning(world: hostile.World, source: t.Callable[..., str]) -> None:
    done, printed = listed(world, source(clusters=["ml"], node_types={"login-nodes": "login"}))
    assert done.returncode == 0
    assert "node_types: 'login-nodes' is not an instance group of any cluster that was read; did you mean login-group?" in printed, printed


def test_group_vars_of_an_unknown_cluster_are_reported(world: hostile.World, source: t.Callable[..., str]) -> None:
    path = source("one/hyperpod.yml", clusters=[{"name": "ml", "key": "prod-eu"}])
    group_vars = Path(path).with_name("group_vars")
    group_vars.mkdir()
    for name in ("cluster_prod-eu.yml", "cluster_ml.yml", "all.yml"):
        (group_vars / name).write_text("a: b\n")
    _done, printed = listed(world, path)
    assert "group_vars/cluster_prod-eu.yml applies to no cluster; rename it to match the group cluster_prod_eu" in printed
    assert "group_vars/cluster_ml.yml applies to no cluster" in printed and "all.yml" not in printed
    Path(path).with_name("other.hyperpod.yml").write_text("the clusters of this source are not known\n")
    _done, printed = listed(world, path)
    assert "cluster_prod-eu.yml applies to no cluster" in printed and "cluster_ml.yml" not in printed


def test_a_faulty_source_is_reported_once_with_the_settings_of_the_readme(world: hostile.World, source: t.Callable[..., str]) -> None:
    """Other inventory plugins must not report errors about the source."""
    readme = (ROOT / "README.md").read_text().partition("```ini\n[defaults]\n")[2].partition("```")[0]
    config = world.folder / "readme.cfg"
    config.write_text("[defaults]\n" + readme)
    for path in (config, ROOT / "inventories/example/ansible.cfg"):
        done, printed = listed(world, source(region="us-west-2"), ANSIBLE_CONFIG=str(path))
        assert done.returncode != 0 and "the nearest name is regions" in printed, printed
        assert "yaml" not in printed.replace("hyperpod.yaml", "") and "ini'" not in printed and "host_list" not in printed, printed
