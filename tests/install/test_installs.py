"""As a plain wheel, editable, and from a checkout: queries, notebooks and sample are found, and the main job runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Command = Callable[..., subprocess.CompletedProcess[str]]
WHERE = (
    "import recall_lab, recall_lab.sample as s, recall_lab.shipped as f;"
    "print(recall_lab.__file__, s.sample_home(), f.shipped_folder('queries'), f.shipped_folder('notebooks'), sep='\\n')"
)


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command with an environment of its own: an empty HOME, no RECALL_LAB variables, no PYTHONPATH."""
    home = cwd / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, "HOME": str(home), "UV_OFFLINE": "1", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


class Environment:
    """A virtual environment that sees the libraries of the one that runs the tests, but not its recall_lab."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        made = run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
        assert made.returncode == 0, made.stderr
        site = run(self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder.parent)
        # A line of a .pth file adds a folder; the .pth files inside that folder, one of which may be an editable
        # recall_lab, are not read.
        Path(site.stdout.strip(), "parent.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, *what: str | Path) -> None:
        if shutil.which("uv") and subprocess.run(["uv", "--version"], check=False, capture_output=True).returncode == 0:
            tool = ["uv", "pip", "install", "--python", str(self.python), "--offline"]
        else:
            tool = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-index"]
        done = run(*tool, "--no-deps", "--no-build-isolation", *what, cwd=self.folder.parent)
        assert done.returncode == 0, done.stderr

    def recall_lab(self, *arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        return run(self.folder / "bin" / "recall-lab", *arguments, cwd=cwd, **env)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from the source distribution, which is built from this checkout."""
    out = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(params=["wheel", "editable", "checkout"])
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path: Path, rules_cache: Path
) -> tuple[str, Command, Command]:
    """(kind, a function that runs recall-lab, a function that runs Python), both in an empty folder."""
    env = {"RECALL_LAB_CACHE_DIR": str(rules_cache)}
    if request.param == "checkout":
        env["PYTHONPATH"] = str(ROOT)
        cli = "import sys; from recall_lab.cli import main; sys.exit(main())"
        return (
            request.param,
            lambda *a: run(sys.executable, "-c", cli, *a, cwd=tmp_path, **env),
            lambda code: run(sys.executable, "-c", code, cwd=tmp_path, **env),
        )
    environment = Environment(tmp_path / "venv")
    environment.install(*([wheel] if request.param == "wheel" else ["--editable", ROOT]))
    return (
        request.param,
        lambda *a: environment.recall_lab(*a, cwd=tmp_path, **env),
        lambda code: run(environment.python, "-c", code, cwd=tmp_path, **env),
    )


def test_everything_that_ships_is_found_and_the_main_job_runs(
    installed: tuple[str, Command, Command], tmp_path: Path
) -> None:
    kind, recall_lab, python = installed

    where = python(WHERE)
    assert where.returncode == 0, where.stderr
    package, sample, queries, notebooks = map(Path, where.stdout.split("\n")[:4])
    assert package.is_relative_to(ROOT) == (kind != "wheel")
    assert list(sample.rglob("*.jsonl"))
    assert list(queries.glob("*.sql"))
    assert (notebooks / "00_start_here.ipynb").is_file()

    listed = recall_lab("query", "--json")
    assert listed.returncode == 0, listed.stderr
    assert {q["name"] for q in json.loads(listed.stdout)["queries"]} >= {path.stem for path in queries.glob("*.sql")}

    demo = recall_lab("demo")
    assert demo.returncode == 0, demo.stderr
    verified = recall_lab("--home", "demo/home", "verify", "demo/brief.md", "--json")
    assert verified.returncode == 0, verified.stderr
    answer = json.loads(verified.stdout)
    assert answer["checked"] == answer["valid"] > 0
    assert {path.name for path in (tmp_path / "demo").iterdir()} >= {"brief.md", "brief.json", "home"}


def test_the_wheel_holds_what_the_checkout_holds(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {Path(name).suffix for name in inside if "/_shipped/" in name} == {".sql", ".ipynb"}
    for folder, place in (("queries", "recall_lab/_shipped/queries"), ("notebooks", "recall_lab/_shipped/notebooks")):
        for path in (ROOT / folder).iterdir():
            if path.suffix in {".sql", ".ipynb"}:
                assert f"{place}/{path.name}" in inside
    sample = ROOT / "recall_lab" / "sample"
    for path in sample.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in inside
