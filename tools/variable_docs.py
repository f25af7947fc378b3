"""Write docs/reference/variables.md: all variables and options that users can set, from their documentation.

variable_docs.py writes the page; variable_docs.py --check fails if the page is out of date.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.role_docs import row  # noqa: E402

PAGE = ROOT / "docs/reference/variables.md"
KNOWN = ROOT / "plugins/plugin_utils/known_variables.py"
PEOPLE = ROOT / "plugins/modules/accounts.py"
INVENTORY = ROOT / "plugins/inventory/hyperpod.py"
CALLBACK = ROOT / "plugins/callback/report.py"
Option = dict[str, t.Any]
Options = dict[str, Option]
FIRST = "accounts"
"""The role whose description is used if several roles read the same variable."""
IN_NO_SPEC: Options = {
    "hyperpod_degraded_fails": {
        "type": "bool",
        "default": False,
        "description": "Whether a run in which a cluster is degraded fails at its end, with exit status 2.",
    },
    "hyperpod_only": {
        "type": "list",
        "elements": "str",
        "default": [],
        "description": "Keys of the clusters that a run includes. A list, or a string separated by commas. Empty means all.",
    },
}
"""Settings that playbooks read themselves."""
ON_THE_INVENTORY = """\
The plugin also has the options of every inventory plugin with a cache and constructed groups: `cache`, `compose`, `groups`,
`keyed_groups` and others. `ansible-doc -t inventory mlfleet.hyperpod.hyperpod` describes them.
"""
ON_THE_REPORT = """\
Set these options in the section `[hyperpod]` of `ansible.cfg`, or as environment variables: `HYPERPOD_` followed by the name in
capitals, for example `HYPERPOD_STATE_DIR`.
"""
INTRODUCTION = """\
<!-- Written by tools/variable_docs.py (make docs). Change the sources of that program instead. -->
# Variables

This page lists all variables and options that you can set. Set variables of clusters in `group_vars/all.yml`, or in
`group_vars/cluster_KEY.yml` for one cluster. Pass options for one run with `-e`. If the name of a variable is a misspelling of a
name on this page, the run stops for the cluster and reports the correct name.

| variables or options | where to set them |
|---|---|
| [clusters](#clusters) | `group_vars` |
| [users and groups](#users-and-groups) | `hyperpod_users` and `hyperpod_groups` in `group_vars` |
| [one run](#one-run) | `-e` |
| [the inventory source](#the-inventory-source) | `hyperpod.yml` |
| [the report](#the-report) | `ansible.cfg`, or the environment |
| [options of roles](#options-of-roles) | `group_vars` |
"""


def documentation(path: Path) -> Options:
    """The options of a plugin or module."""
    found = re.search(r'^DOCUMENTATION = r"""(.*?)"""', path.read_text(), re.S | re.M)
    assert found, path
    options: Options = yaml.safe_load(found[1])["options"]
    return options


def known_variables() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("known_variables", KNOWN)
    assert spec and spec.loader
    known = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(known)
    return known


def roles() -> dict[str, Options]:
    """The options of each role, of all its entries."""
    found: dict[str, Options] = {}
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        for entry in yaml.safe_load(path.read_text())["argument_specs"].values():
            for name, option in (entry.get("options") or {}).items():
                found.setdefault(path.parts[-3], {}).setdefault(name, option)
    return found


def behind(names: t.Collection[str], of_roles: t.Mapping[str, Options]) -> Options:
    """Options of roles by the variable that is their default, or that a playbook passes to them."""
    found: Options = {}
    options = {name: (role, option) for role, each in of_roles.items() for name, option in each.items()}
    for path in [*sorted(ROOT.glob("roles/*/defaults/main.yml")), *sorted(ROOT.glob("playbooks/**/*.yml"))]:
        for name, value in re.findall(r"^\s*([a-z_]+): (?:>-\n\s*)?(.*)$", path.read_text(), re.M):
            read = re.search(r"\{\{ ([a-z_]+)\b(?! *\.)(?: \| default\(([^()]*)\))?", value)
            if name in options and read and read[1] in names:
                role, option = options[name]
                if read[1] not in found or role == FIRST:
                    found[read[1]] = _named(read[1], option, read[2])
    return {**found, **{name: option for name, (_role, option) in options.items() if name in names}}


def _named(name: str, option: Option, otherwise: str | None) -> Option:
    """An option under the name of its variable, without its reference to the variable as default, and without its entry."""
    texts = option["description"] if isinstance(option["description"], list) else [option["description"]]
    text = " ".join(" ".join(texts).split())
    text = re.sub(rf"[,;]? by default C\({name}\)(?: or C\(\w+\))?| ?By default C\({name}\)\.", "", text).strip()
    text = re.sub(r"^With C\([a-z_]+\), ", "", text)
    default = {} if otherwise is None else {"default": yaml.safe_load(otherwise)}
    return {**default, **option, "description": text[:1].upper() + text[1:]}


def described(names: t.Iterable[str], known: t.Mapping[str, Option], own: t.Mapping[str, Option] | None = None) -> Options:
    """Options of names; ``own`` are descriptions that replace those of roles."""
    options = {name: (own or {}).get(name) or known.get(name) for name in sorted(names)}
    missing = [name for name, option in options.items() if option is None]
    if missing:
        sys.exit(f"{', '.join(missing)}: no role describes this. Add a description in meta/options or tools/variable_docs.py.")
    return {name: option for name, option in options.items() if option is not None}


def table(options: Options) -> list[str]:
    return ["| name | type | default | meaning |", "|---|---|---|---|", *(row(name, each) for name, each in options.items()), ""]


def flat(options: Options, prefix: str = "") -> Options:
    """Options and suboptions by full names such as ``accounts[].clusters[].key``."""
    found: Options = {}
    for name, option in options.items():
        found[f"{prefix}{name}"] = option
        inner = f"{prefix}{name}[]." if option["type"] == "list" else f"{prefix}{name}."
        found |= flat(option.get("suboptions") or {}, inner)
    return found


def normal(options: Options) -> Options:
    """Options in the form of argument specs: choices as a list, and defaults for omitted fields."""
    found: Options = {}
    for name, option in options.items():
        optional = {} if "default" in option or option.get("required") else {"default": None}
        choices = {"choices": list(option["choices"])} if "choices" in option else {}
        found[name] = {"type": "str", **optional, **option, **choices}
    return found


def of_one_run(playbooks: t.Mapping[str, t.Mapping[str, Options]], known: t.Mapping[str, Option]) -> list[str]:
    lines = []
    for playbook, sections in playbooks.items():
        options = {name: option for section in sections.values() for name, option in section.items()}
        own = {name: option for name, option in options.items() if "description" in option}
        lines += [f"### {playbook}", "", *table(described(options, known, own))]
    return lines


def page() -> str:
    variables = known_variables()
    settings, names = variables.SETTINGS, variables.of_one_run()
    of_roles, people, callback = roles(), documentation(PEOPLE), documentation(CALLBACK)
    known = {**behind({*settings, *names}, of_roles), **normal({name: callback[name] for name in names if name in callback})}
    lines = [INTRODUCTION, "## Clusters", "", *table(described(settings, known, IN_NO_SPEC)), "## Users and groups", ""]
    for variable, option in (("hyperpod_users", "users"), ("hyperpod_groups", "groups")):
        lines += [f"Fields of an entry of `{variable}`:", "", *table(normal(flat(people[option]["suboptions"])))]
    of_all = {name: normal(callback)[name.removeprefix("hyperpod_")] for name in variables.OF_RUN}
    lines += ["## One run", "", "### All playbooks", "", *table(of_all), *of_one_run(variables.of_playbooks(), known)]
    lines += ["## The inventory source", "", ON_THE_INVENTORY, *table(normal(flat(normal(documentation(INVENTORY)))))]
    lines += ["## The report", "", ON_THE_REPORT, *table(normal(callback))]
    lines += ["## Options of roles", "", "If a variable in a section above has the same effect, set that variable instead.", ""]
    for role, options in of_roles.items():
        lines += [f"### Role {role}", "", f"The [README](../../roles/{role}/README.md) describes the role and its IAM actions.", ""]
        lines += table(options)
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    text = page()
    stale = not PAGE.exists() or PAGE.read_text() != text
    if "--check" in sys.argv[1:]:
        if stale:
            print(f"{PAGE.relative_to(ROOT)} is out of date. Run make docs.")
        return int(stale)
    if stale:
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
