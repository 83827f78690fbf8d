# SPDX-License-Identifier: Apache-2.0
"""The whole life of a candidate, every step through its command."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acromeld.cli import run
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.sources import read_sources
from tests.workshop.conftest import Workshop, do, predict

Refused = Callable[..., str]


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    do(*arguments)
    return capsys.readouterr().out


def test_corpus_show_counts_what_synth_made(
    model_workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in (model_workshop.made / "manifest.jsonl").read_text().splitlines()]
    shown = json.loads(printed(capsys, "corpus", "show", model_workshop.index, "--json"))
    total = shown["rows"][-1]
    assert total["pdfs"] == len(rows) == 14
    assert total["pages"] == sum(row["pages"] for row in rows)
    assert total["fields"] == sum(sum(row["fields"].values()) for row in rows)
    assert shown["queries_suffice"]


def test_synth_gives_the_same_bytes_twice(model_workshop: Workshop, tmp_path: Path) -> None:
    do("synth", tmp_path / "again", "--seed", 5, "--documents", 14, "--fonts", "builtin")
    for name in ("manifest.jsonl", *(f"pdf/{path.name}" for path in model_workshop.pdf.iterdir())):
        assert (tmp_path / "again" / name).read_bytes() == (model_workshop.made / name).read_bytes()


def test_a_second_build_has_the_same_digest(
    model_workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.sqlite"
    manifest = model_workshop.made / "manifest.jsonl"
    do("corpus", "build", model_workshop.pdf, "--manifest", manifest, "--out", again)
    digest = printed(capsys, "corpus", "seal", again).strip()
    with open_index(model_workshop.index) as index:
        assert index.digest == digest


def test_corpus_verify_names_the_changed_file(workshop: Workshop, refused: Refused) -> None:
    do("corpus", "verify", workshop.index, workshop.pdf)
    victim = sorted(workshop.pdf.iterdir())[0]
    data = bytearray(victim.read_bytes())
    data[-3] ^= 1
    victim.write_bytes(bytes(data))
    assert f"changed: {victim.name}." in refused(10, "corpus", "verify", workshop.index, workshop.pdf)


def test_ranks_together_predict_what_one_process_does(workshop: Workshop) -> None:
    for rank in range(2):
        predict(workshop, "train-real", workshop.split, "--rank", rank, "--ranks", 2)
    predict(workshop, "train-real", workshop.whole)
    split, whole = read_sources([workshop.split]), read_sources([workshop.whole])
    assert split.pages.keys() == whole.pages.keys()
    for key, page in whole.pages.items():
        assert page.candidates.box.tolist() == split.pages[key].candidates.box.tolist()
        assert page.candidates.origin == split.pages[key].candidates.origin


def test_a_run_that_died_is_made_again(workshop: Workshop) -> None:
    shard = workshop.test / "shard-000.jsonl"
    whole = shard.read_bytes()
    shard.chmod(0o644)
    shard.write_bytes(whole[: len(whole) // 2])
    (workshop.test / "shard-000.json").unlink()
    predict(workshop, "internal-test", workshop.test)
    assert shard.read_bytes() == whole


def test_a_sample_is_declared_nested_and_scored_on_its_own_pages(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    for pages in (3, 6):
        out = workshop.root / f"sample{pages}"
        predict(workshop, "train-real", out, "--sample", pages, "--seed", 9)
        run_record = json.loads((out / "prediction-run.json").read_bytes())
        assert run_record["sample"] == {"pages": pages, "seed": 9}
    small, large = read_sources([workshop.sample3]), read_sources([workshop.sample6])
    assert len(small.pages) == 3
    assert small.pages.keys() < large.pages.keys()
    role = ("--index", workshop.index, "--role", "train-real", "--resamples", 0, "--json")
    own = json.loads(printed(capsys, "evaluate", workshop.sample3, *role))
    cut = json.loads(
        printed(capsys, "evaluate", workshop.sample6 / "shard-000.jsonl", *role, "--sample", 3, "--seed", 9)
    )
    assert own["coverage"]["pages"] == 3
    assert own["coverage"]["pages_without_line"] == 0
    assert own["points"] == cut["points"]


def test_index_and_folder_give_the_same_scores(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_index(workshop.index) as index:
        files = [row.file for row in index.documents(Role.INTERNAL_TEST)]
    folder = workshop.root / "only-test"
    folder.mkdir()
    for name in files:
        (folder / name).write_bytes((workshop.pdf / name).read_bytes())
    common = ("evaluate", workshop.test, "--resamples", 0, "--json", "--fixed")
    by_folder = json.loads(printed(capsys, *common, "--pdf", folder))
    by_index = json.loads(printed(capsys, *common, "--index", workshop.index, "--role", "internal-test"))
    assert by_folder["points"] == by_index["points"]
    assert by_folder["coco"] == by_index["coco"]


def test_evaluate_reads_the_raw_lines_of_detect(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = workshop.root / "lines.jsonl"
    do("detect", workshop.external, "--raw", "-o", lines)
    shown = printed(capsys, "evaluate", lines, "--pdf", workshop.external, "--fixed", "--resamples", 50)
    for heading in ("Micro scores", "Average precision", "Per class", "Fields on the page"):
        assert heading in shown
    found = json.loads(
        printed(capsys, "evaluate", lines, "--pdf", workshop.external, "--fixed", "--resamples", 0, "--json")
    )
    assert found["points"]["selected"]["native"]["micro"]["f1"] > 0.2


def test_lines_of_other_roles_do_not_count_and_coco_files_can_be_read_back(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, coco = workshop.root / "all.jsonl", workshop.root / "coco"
    do("detect", workshop.pdf, "--raw", "-o", lines)
    role = ("--index", workshop.index, "--role", "internal-test", "--resamples", 0, "--json")
    found = json.loads(printed(capsys, "evaluate", lines, *role, "--coco", coco))
    with open_index(workshop.index) as index:
        assert found["coverage"]["pages"] == len(index.pages(Role.INTERNAL_TEST))
    annotations = json.loads((coco / "annotations.json").read_bytes())
    assert len(annotations["annotations"]) == found["coverage"]["targets"]
    strict = ("--strict-annotations", coco / "annotations.json")
    again = json.loads(printed(capsys, "evaluate", lines, *role, *strict))
    assert again["coco"]["map"] == pytest.approx(found["coco"]["map"])


def test_calibration_is_what_the_candidate_is_frozen_at(model_workshop: Workshop) -> None:
    chosen = json.loads((model_workshop.root / "point.json").read_bytes())
    frozen = json.loads((model_workshop.candidate / "operating-point.json").read_bytes())
    assert frozen["point"] == chosen["point"]
    assert frozen["calibration"]["tied_cells"] == chosen["tied_cells"] >= 1
    assert len(chosen["cells"]) == 48


def test_the_internal_report_is_written_once_and_its_counts_are_reconstructed(
    workshop: Workshop, refused: Refused
) -> None:
    truth = ("--index", workshop.index, "--role", "internal-test", "--resamples", 0)
    again = ("evaluate", workshop.test, *truth, "--candidate", workshop.candidate)
    assert "written only once" in refused(9, *again, "--internal-report")
    assert "points" in json.loads((workshop.candidate / "internal-report.json").read_bytes())["results"]
    do(*again)


def test_report_of_the_whole_life(gated: Workshop, tmp_path: Path) -> None:
    out = tmp_path / "report"
    do(
        "report",
        out,
        "--candidate",
        gated.candidate,
        "--gate",
        gated.gate_out,
        "--evaluations",
        gated.evaluation,
    )
    page = (out / "report.html").read_text()
    text = (out / "report.md").read_text()
    for heading in ("Candidate rules", "Internal test", "External gate", "Worst pages", "Reliability"):
        assert heading in text
        assert heading in page
    checked = subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=out, capture_output=True)
    assert checked.returncode == 0
    with (out / "tables" / "internal-overall.csv").open(encoding="utf-8") as stream:
        points = [row["point"].split(" ")[0] for row in csv.DictReader(stream)]
    assert points == ["selected", "fixed"]
    for figure in ("precision-recall", "reliability", "classes", "density"):
        assert (out / "figures" / f"internal-{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert f"figures/internal-{figure}.svg" in page


def test_equal_records_give_equal_reports(model_workshop: Workshop, tmp_path: Path) -> None:
    for name in ("first", "second"):
        do("report", tmp_path / name, "--evaluations", model_workshop.evaluation)
    first, second = ((tmp_path / name / "SHA256SUMS").read_bytes() for name in ("first", "second"))
    assert first == second


def test_the_trajectory_is_drawn_when_there_is_one(workshop: Workshop, tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.jsonl"
    metrics.write_text("".join(json.dumps({"epoch": n, "f1": n / 9}) + "\n" for n in range(4)))
    trained = tmp_path / "trained"
    point = workshop.root / "point.json"
    do(
        "freeze",
        trained,
        "--index",
        workshop.index,
        "--calibration",
        point,
        "--metrics",
        metrics,
        "--detector",
        "rules",
    )
    do("report", tmp_path / "report", "--candidate", trained)
    assert (tmp_path / "report" / "figures" / "candidate-trajectory.svg").is_file()


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    shown = capsys.readouterr().out
    for name in ("corpus", "synth", "predict", "calibrate", "freeze", "evaluate", "gate", "report", "peers"):
        assert name in shown
