"""Figures on the Python of plugins/."""

from __future__ import annotations

import ast
import math

from .house import Function, House

PUBLIC_KEYS = frozenset({"PublicKey"})
"""Names of classes that hold one public SSH key."""


def public_key_classes(house: House) -> list[str]:
    """Classes of the names in PUBLIC_KEYS."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in house.code.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name in PUBLIC_KEYS
    ]


def _fails(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("fail_json")


def _is_boundary(function: Function) -> bool:
    handlers = [node for node in function.own if isinstance(node, ast.ExceptHandler)]
    return any(_fails(node) for handler in handlers for node in ast.walk(handler))


def error_boundaries(house: House) -> list[str]:
    """Functions with an ``except`` in which fail_json or fail_json_aws_error is called."""
    return [function.place for function in house.functions if _is_boundary(function)]


def _names_of(function: Function) -> list[str]:
    tables = [node.value for node in function.own if isinstance(node, ast.Return)]
    keys = [key for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    return [str(key.value) for key in keys if isinstance(key, ast.Constant)]


def filter_names(house: House) -> list[str]:
    """Names that the methods ``filters`` in plugins/filter return."""
    methods = [each for each in house.functions if each.file.startswith("plugins/filter/") and each.node.name == "filters"]
    return sorted(name for method in methods for name in _names_of(method))


def predicted_by_hand(house: House) -> list[str]:
    """Calls with an argument ``predicted=``, in plugins/."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in house.code.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(each.arg == "predicted" for each in node.keywords)
    ]


def _lengths(house: House) -> list[int]:
    return sorted(function.lines for function in house.functions)


def _percentile(values: list[int], share: float) -> int:
    """The smallest value that this share of all values does not exceed."""
    return values[max(0, math.ceil(share * len(values)) - 1)]


def function_p50(house: House) -> int:
    """Median number of lines of the functions of plugins/, from def to the last line."""
    return _percentile(_lengths(house), 0.5)


def function_p95(house: House) -> int:
    """95th percentile of the number of lines of the functions of plugins/."""
    return _percentile(_lengths(house), 0.95)


def longest_functions(house: House) -> dict[str, int]:
    """The five longest functions of plugins/, in lines."""
    ordered = sorted(house.functions, key=lambda each: (-each.lines, each.place))
    return {f"{function.file} {function.node.name}": function.lines for function in ordered[:5]}


def longest_function(house: House) -> int:
    """Lines of the longest function of plugins/."""
    return _lengths(house)[-1]


def longest_files(house: House) -> dict[str, int]:
    """The five longest files of plugins/ in lines, without modules, which are mostly documentation."""
    return dict(sorted(_lines(house).items(), key=lambda item: (-item[1], item[0]))[:5])


def files_over_300(house: House) -> list[str]:
    """Files of plugins/ with more than 300 lines, without modules."""
    return [f"{file} {lines}" for file, lines in _lines(house).items() if lines > 300]


def _lines(house: House) -> dict[str, int]:
    paths = [path for path in house.files("plugins/**/*.py") if path.parent.name != "modules"]
    return {house.name(path): path.read_bytes().count(b"\n") for path in paths}


def copied_actions(house: House) -> list[str]:
    """Action plugins whose Python equals that of an earlier one, apart from docstrings."""
    first: dict[str, str] = {}
    copies = []
    for file, parsed in house.code.items():
        if file.startswith("plugins/action/"):
            original = first.setdefault(ast.dump(_without_docstrings(parsed)), file)
            copies += [f"{file} as {original}"] if original != file else []
    return copies


def _without_docstrings(parsed: ast.Module) -> ast.Module:
    copy = ast.parse(ast.unparse(parsed))
    for node in ast.walk(copy):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return copy


def one_field_views(house: House) -> list[str]:
    """Dataclasses of plugin_utils/views with one field and without a base class."""
    return [
        f"{file}:{node.lineno} {node.name}"
        for file, parsed in house.code.items()
        if file.startswith("plugins/plugin_utils/views/")
        for node in ast.walk(parsed)
        if isinstance(node, ast.ClassDef)
        and not node.bases
        and _is_dataclass(node)
        and sum(isinstance(each, ast.AnnAssign) for each in node.body) == 1
    ]


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(each) for each in node.decorator_list)
