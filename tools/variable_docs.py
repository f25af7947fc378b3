"""Write docs/reference/variables.md: all variables and options that users can set, from their documentation.

variable_docs.py writes the page; variable_docs.py --check fails if the page is out of date.
"""

from __future__ import annotations

import functools
import re
import sys
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.loaded import loaded  # noqa: E402
from tools.role_docs import row  # noqa: E402

Option = dict[str, t.Any]
Options = dict[str, Option]
known_variables, specs = (loaded(ROOT / f"plugins/plugin_utils/{name}.py") for name in ("known_variables", "variable_specs"))
PAGE = ROOT / "docs/reference/variables.md"
PEOPLE = ROOT / "plugins/modules/accounts.py"
INVENTORY = ROOT / "plugins/inventory/hyperpod.py"
CALLBACK = ROOT / "plugins/callback/report.py"
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


def described(names: t.Iterable[str], known: t.Mapping[str, Option], own: t.Mapping[str, Option] | None = None) -> Options:
    """Options of names; ``own`` are descriptions that replace those of roles."""
    options = {name: (own or {}).get(name) or known.get(name) for name in sorted(names)}
    missing = [name for name, option in options.items() if option is None]
    if missing:
        sys.exit(f"{', '.join(missing)}: no role describes this. Add a description in meta/verbs, or in {specs.__file__}.")
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


@functools.cache
def known() -> Options:
    """The settings of clusters and the variables of one run, as roles and the report callback describe them."""
    callback, names = documentation(CALLBACK), known_variables.of_one_run()
    of_callback = normal({name: callback[name] for name in names if name in callback})
    return {**specs.behind({*known_variables.SETTINGS, *names}, specs.roles()), **of_callback}


def one_run(verb: str) -> Options:
    """The variables of one run of a verb."""
    sections = known_variables.of_playbooks().get(verb, {}).values()
    options = {name: option for section in sections for name, option in section.items()}
    own = {name: option for name, option in options.items() if "description" in option}
    return described(options, known(), own)


def page() -> str:
    people, callback = documentation(PEOPLE), documentation(CALLBACK)
    settings = described(known_variables.SETTINGS, known(), specs.IN_NO_SPEC)
    lines = [INTRODUCTION, "## Clusters", "", *table(settings), "## Users and groups", ""]
    for variable, option in (("hyperpod_users", "users"), ("hyperpod_groups", "groups")):
        lines += [f"Fields of an entry of `{variable}`:", "", *table(normal(flat(people[option]["suboptions"])))]
    of_all = {name: normal(callback)[name.removeprefix("hyperpod_")] for name in known_variables.OF_RUN}
    lines += ["## One run", "", "### All playbooks", "", *table(of_all)]
    for verb in known_variables.of_playbooks():
        lines += [f"### {verb}", "", *table(one_run(verb))]
    lines += ["## The inventory source", "", ON_THE_INVENTORY, *table(normal(flat(normal(documentation(INVENTORY)))))]
    lines += ["## The report", "", ON_THE_REPORT, *table(normal(callback))]
    lines += ["## Options of roles", "", "If a variable in a section above has the same effect, set that variable instead.", ""]
    for role, options in specs.roles().items():
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
