# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources as people write them, read by a real ansible-inventory: what is wrong or missing is said."""

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
    """``source(**options)`` writes one; its path."""

    def write(name: str = "hyperpod.yml", **options: t.Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"plugin": "mlfleet.hyperpod.hyperpod", "regions": [REGION], **options}))
        return str(path)

    return write


def listed(world: hostile.World, *sources: str, **variables: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """The process, and what it said to people in one line."""
    words = [word for each in sources for word in ("-i", each)]
    done = world._ansible("inventory", *words, "--list", "--export", ANSIBLE_INVENTORY="", **variables)
    return done, " ".join(done.stderr.split())


def of_all(done: subprocess.CompletedProcess[str], name: str) -> list[str]:
    found = json.loads(done.stdout)["all"]["vars"][name]
    return [each["__ansible_unsafe"] if isinstance(each, dict) else each for each in found]


def test_filters_that_leave_nothing_are_told(world: hostile.World, source: t.Callable[..., str]) -> None:
    wrong = {"tags": {"team": "resaerch"}}
    said = "default credentials, region us-west-2: 2 clusters found; filters.tags.team: resaerch left out 2"
    done, told = listed(world, source(filters=wrong))
    assert done.returncode == 0 and f"no cluster matches: {said}" in told, told
    assert [each.partition(": ")[2] for each in of_all(done, "hyperpod_inventory_read")] == [said]
    strict, told = listed(world, source(filters=wrong, strict=True))
    assert strict.returncode != 0 and f"no cluster matches: {said}" in told, told


def test_every_source_tells_what_it_could_not_read(world: hostile.World, source: t.Callable[..., str]) -> None:
    """The last source used to be the only one that was heard. A static inventory of such a name is none of ours."""
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
    done, told = listed(
        world, first, wrong, kind, broken, twin, static, last,
        ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="false", ANSIBLE_INVENTORY_ENABLED="mlfleet.hyperpod.hyperpod,yaml",
    )  # fmt: skip
    assert done.returncode == 0, told
    said = of_all(done, "hyperpod_inventory_failures")
    begin = ("profile nosuch, region us-west-2: ", f"{wrong}: threads: 0 is not")
    assert [each for each in said if each.startswith(begin)] == said[:2], said
    assert kind in said[2] and "threads" in said[2] and broken in said[3] and "\n" not in said[3], said
    ml, other = world.arns["ml"], world.arns["other"]
    assert said[4].startswith(f"{twin}: Two clusters have the key 'ml' (or one that makes the same group name): {ml} of another source and {other};")
    assert len(said) == 5 and {"ml", "other", "web1"} <= json.loads(done.stdout)["_meta"]["hostvars"].keys(), said


@pytest.mark.parametrize(("wrong", "meant"), [("region", "regions"), ("profiles", "profile"), ("keyed_group", "keyed_groups")])
def test_a_misspelt_option_is_refused(world: hostile.World, source: t.Callable[..., str], wrong: str, meant: str) -> None:
    done, told = listed(world, source(**{wrong: "x"}), ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true")
    assert done.returncode != 0, told
    assert f"the source: '{wrong}' is not allowed: the nearest name is {meant}. Allowed: accounts, cache," in told


def test_every_option_is_taken(world: hostile.World, source: t.Callable[..., str]) -> None:
    """Those of the fragments, too."""
    options = {"cache": False, "cache_timeout": 60, "compose": {}, "groups": {}, "keyed_groups": [], "leading_separator": True}
    done, told = listed(world, source(**options, use_extra_vars=True, threads=2, tags=False, private_key_file="~/.ssh/ops"))
    assert done.returncode == 0 and "not allowed" not in told, told


BARE = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


@pytest.mark.parametrize(
    ("options", "variables", "said"),
    [
        ({"regions": []}, {}, "no region is set; set regions in the source, or region in the profile"),
        ({}, BARE, "Unable to locate credentials; name a profile of your AWS configuration (profile in the source), or"),
        ({"profile": "othre"}, {}, "(othre) could not be found; did you mean other? (profiles of the AWS configuration: default,"),
        ({"clusters": ["mll"]}, {}, "cluster mll: there is no such cluster; did you mean ml? There are ml, other"),
    ],
    ids=["no region", "no credentials", "no such profile", "no such cluster"],
)
def test_what_could_not_be_read_says_what_to_do(
    world: hostile.World,
    source: t.Callable[..., str],
    options: dict[str, t.Any],
    variables: dict[str, str],
    said: str,
) -> None:
    done, told = listed(world, source(**options), ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true", **variables)
    assert done.returncode != 0 and said in told, told


def test_an_arn_of_another_account_is_told_as_such(world: hostile.World, source: t.Callable[..., str]) -> None:
    theirs = world.arns["ml"].replace(":111111111111:", ":222222222222:")
    done, told = listed(world, source(clusters=["ml", theirs]))
    assert done.returncode == 0, told
    assert "the ARN is of account 222222222222, and the credentials are of account 111111111111; choose the profile" in told


@pytest.mark.parametrize(
    "options",
    [
        {"keyed_groups": [{"key": "hyperpod_tags.team", "prefix": "team"}]},
        {"groups": {"team_research": "hyperpod_tags.team == 'research'"}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_whoever_asks_for_tags_gets_them(world: hostile.World, source: t.Callable[..., str], options: dict[str, t.Any]) -> None:
    """The group is a whole cluster: its host and its nodes."""
    world.aws.client("sagemaker").add_tags(ResourceArn=world.arns["ml"], Tags=[{"Key": "team", "Value": "research"}])
    done, told = listed(world, source(**options))
    found = json.loads(done.stdout)
    assert sorted(found["team_research"]["hosts"]) == sorted(found["cluster_ml"]["hosts"]), told


def test_a_group_that_there_is_not_is_a_warning(world: hostile.World, source: t.Callable[..., str]) -> None:
    done, told = listed(world, source(clusters=["ml"], node_types={"login-nodes": "login"}))
    assert done.returncode == 0
    assert "node_types: 'login-nodes' is not an instance group of any cluster that was read; did you mean login-group?" in told, told


def test_variables_for_a_cluster_that_there_is_not_are_told(world: hostile.World, source: t.Callable[..., str]) -> None:
    path = source("one/hyperpod.yml", clusters=[{"name": "ml", "key": "prod-eu"}])
    group_vars = Path(path).with_name("group_vars")
    group_vars.mkdir()
    for name in ("cluster_prod-eu.yml", "cluster_ml.yml", "all.yml"):
        (group_vars / name).write_text("a: b\n")
    _done, told = listed(world, path)
    assert "group_vars/cluster_prod-eu.yml is read for no cluster; the group of cluster_prod-eu is cluster_prod_eu, so rename" in told
    assert "group_vars/cluster_ml.yml is read for no cluster; " in told and "all.yml" not in told
    Path(path).with_name("other.hyperpod.yml").write_text("the clusters of another source are not known yet\n")
    _done, told = listed(world, path)
    assert "cluster_prod-eu.yml is read for no cluster" in told and "cluster_ml.yml" not in told


def test_a_faulty_source_is_told_once_with_the_settings_of_the_readme(world: hostile.World, source: t.Callable[..., str]) -> None:
    """Other plugins used to say, between the lines, what they think of it."""
    readme = (ROOT / "README.md").read_text().partition("```ini\n[defaults]\n")[2].partition("```")[0]
    config = world.folder / "readme.cfg"
    config.write_text("[defaults]\n" + readme)
    for path in (config, ROOT / "inventories/example/ansible.cfg"):
        done, told = listed(world, source(region="us-west-2"), ANSIBLE_CONFIG=str(path))
        assert done.returncode != 0 and "the nearest name is regions" in told, told
        assert "yaml" not in told.replace("hyperpod.yaml", "") and "ini'" not in told and "host_list" not in told, told
