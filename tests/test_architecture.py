# SPDX-License-Identifier: Apache-2.0
"""Who may know whom: the walls between the rooms, kept by reading every import statement."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import acromeld

ROOT = Path(acromeld.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

BASE = {"geometry", "fields", "errors"}
READING = BASE | {"pdf"}
STRUCTURED = READING | {"structure"}
USERS = STRUCTURED | {"detect", "drawing", "form", "recovery", "cli", "review", "serve", "batch"}
LEARNED = {"trees", "weights_file"}
MAY_KNOW = {
    "geometry": set(),
    "errors": set(),
    "fields": {"errors"},
    "drawing": BASE,
    "pdf": READING,
    "structure": STRUCTURED,
    "trees": BASE,
    "weights_file": BASE,
    "detect": STRUCTURED | LEARNED | {"detect"},
    "form": STRUCTURED | LEARNED | {"form"},
    "recovery": STRUCTURED | {"detect", "form"},
    "cli": USERS,
    "review": USERS,
    "serve": USERS,
    "batch": USERS,
    "__init__": STRUCTURED | {"detect", "form", "recovery"},
}
"""Rooms of the runtime and what they may import; everything else is the workshop."""

COMMANDS = {
    "__init__",
    "accessibility",
    "apply",
    "batch",
    "console",
    "detect",
    "draw",
    "inspect",
    "recover",
    "review",
    "schema",
    "serve",
    "targets",
}
"""Modules of the command line that users run."""

FORBIDDEN = {
    "torch",
    "lightgbm",
    "ray",
    "fitz",
    "pymupdf",
    "ultralytics",
    "torchvision",
    "scipy",
    "PIL",
    "reportlab",
    "matplotlib",
    "cv2",
}
"""Never imported by the runtime: heavy, or not under a licence that fits."""


def room(module: Path) -> str:
    """The room of a module; commands of the workshop belong to it and not to the user's command line."""
    first = module.relative_to(ROOT).parts[0].removesuffix(".py")
    return "workshop commands" if first == "cli" and module.stem not in COMMANDS else first


def imports(tree: ast.AST) -> set[str]:
    """Full names of everything imported anywhere in a module, also within functions."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where a name comes from"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rooms_known(tree: ast.AST) -> set[str]:
    """Rooms of ours among the imports; ``from acromeld import __version__`` is not one."""
    ours = {name.split(".")[1] for name in imports(tree) if name.startswith("acromeld.")}
    return {name for name in ours if (ROOT / name).is_dir() or (ROOT / f"{name}.py").exists()}


def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"))


RUNTIME = [module for module in MODULES if room(module) in MAY_KNOW]


def label(module: Path) -> str:
    return str(module.relative_to(ROOT))


def test_the_runtime_is_found():
    assert {"pdf", "structure", "detect", "form", "cli", "geometry"} <= {room(module) for module in RUNTIME}


@pytest.mark.parametrize("module", RUNTIME, ids=label)
def test_rooms_know_only_the_rooms_below_them(module):
    assert rooms_known(parsed(module)) <= MAY_KNOW[room(module)]


@pytest.mark.parametrize("module", RUNTIME, ids=label)
def test_user_commands_do_not_import_workshop_commands(module):
    commands = {name.split(".")[2] for name in imports(parsed(module)) if name.startswith("acromeld.cli.")}
    assert commands <= COMMANDS


@pytest.mark.parametrize("module", RUNTIME, ids=label)
def test_the_runtime_imports_no_workshop_library(module):
    assert not {name.split(".")[0] for name in imports(parsed(module))} & FORBIDDEN


def test_the_import_rule_sees_imports_inside_functions():
    tree = ast.parse("def f():\n    from acromeld.corpus.index import load\n    import scipy.ndimage")
    assert rooms_known(tree) == {"corpus"}
    assert "scipy.ndimage" in imports(tree)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_every_module_has_its_licence_a_docstring_and_a_readable_length(module):
    lines = module.read_text("utf-8").splitlines()
    assert lines[0] == "# SPDX-License-Identifier: Apache-2.0"
    assert ast.get_docstring(parsed(module))
    assert len(lines) <= 500


def loaded_after(statement: str) -> set[str]:
    """Top-level modules in a fresh interpreter after a statement."""
    script = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_acromeld_costs_next_to_nothing():
    loaded = loaded_after("import acromeld")
    assert "acromeld" in loaded
    assert not loaded & {"numpy", "pydantic", "pikepdf", "pypdfium2", "rich", "cyclopts"}


def test_every_user_command_loads_without_the_workshop():
    names = "('recover', 'detect', 'apply', 'batch', 'inspect', 'review', 'schema', 'serve')"
    load = f"import importlib\nfor name in {names}: importlib.import_module('acromeld.cli.' + name)"
    loaded = loaded_after(load)
    assert "pikepdf" in loaded
    assert not loaded & FORBIDDEN


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("nonsense", 2)])
def test_help_and_typing_mistakes_need_no_workshop_library(argument, code):
    """Both look at every command there is, those of the workshop included."""
    script = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({sorted(FORBIDDEN)}))\n"
        f"from acromeld.cli import run\nsys.exit(run([{argument!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("recover" in done.stdout) or ('no command "nonsense"' in done.stderr)


def test_the_function_detect_is_not_hidden_by_the_room_detect():
    script = (
        "import acromeld, acromeld.detect.registry\n"
        "assert acromeld.detect.registry.DEFAULT\n"
        "try: acromeld.detect(b'')\n"
        "except acromeld.AcromeldError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "document.pdf is empty.\n"


def test_public_names_can_be_had():
    assert all(getattr(acromeld, name) is not None for name in acromeld.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = acromeld.nonsense
