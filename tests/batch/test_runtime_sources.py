# SPDX-License-Identifier: Apache-2.0
"""No network, no shell, no evaluation of text as code in the runtime, kept by reading its sources."""

import ast

import pytest

from tests.test_architecture import RUNTIME, imports, label, parsed, room

NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "telnetlib", "xmlrpc", "requests", "httpx"}
NETWORK |= {"aiohttp", "websockets", "webbrowser"}
HARMLESS = {"urllib.parse", "http.HTTPStatus"}
"""Names, not connections."""

LISTENERS = {"serve", "review"}
"""Rooms that answer on a socket of this machine."""

LISTENING_COMMANDS = {"cli/review.py", "cli/serve.py"}

UNPACKERS = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
"""Reading with these can run what was read."""

EVALUATORS = {"eval", "exec", "compile", "__import__"}
SHELLS = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "pty.spawn"}
SHELLS |= {"asyncio.create_subprocess_shell"}


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of an expression, or nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def offences(tree: ast.AST, *, listens: bool = False) -> set[str]:
    """What a module does that the runtime must not."""
    found: set[str] = set()
    for name in imports(tree) - HARMLESS:
        top = name.split(".")[0]
        if top in UNPACKERS or (
            top in NETWORK and not listens and ".".join(name.split(".")[:2]) not in HARMLESS
        ):
            found.add(f"imports {name}")
    for call in calls(tree):
        name = dotted(call.func)
        if name in EVALUATORS | SHELLS or name.startswith(("os.exec", "os.spawn")):
            found.add(f"calls {name}")
        for option in call.keywords:
            if option.arg == "shell" and not (
                isinstance(option.value, ast.Constant) and not option.value.value
            ):
                found.add("asks for a shell")
            if option.arg == "allow_pickle" and not (
                isinstance(option.value, ast.Constant) and option.value.value is False
            ):
                found.add("allows pickle")
    return found


@pytest.mark.parametrize("module", RUNTIME, ids=label)
def test_the_runtime_neither_calls_out_nor_evaluates(module):
    listens = room(module) in LISTENERS or label(module) in LISTENING_COMMANDS
    assert offences(parsed(module), listens=listens) == set()


@pytest.mark.parametrize(
    "source",
    [
        "import socket",
        "def f():\n    from urllib.request import urlopen",
        "import http.client",
        "eval('1')",
        "x = __import__('os')",
        "import os\nos.system('ls')",
        "import subprocess\nsubprocess.run('ls', shell=True)",
        "import subprocess\nsubprocess.run('ls', shell=flag)",
        "import numpy\nnumpy.load('x', allow_pickle=True)",
        "from pickle import loads",
        "import os\nos.execv('/bin/sh', [])",
    ],
)
def test_the_rule_sees_what_it_must_see(source):
    assert offences(ast.parse(source))


def test_the_rule_lets_harmless_things_pass():
    for source in ("from urllib.parse import quote", "re.compile('a')", "subprocess.run(['ls'])"):
        assert offences(ast.parse(source)) == set()
    assert offences(ast.parse("import socket"), listens=True) == set()
