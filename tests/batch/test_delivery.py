# SPDX-License-Identifier: Apache-2.0
"""Outputs are written below the output folder and nowhere else."""

import pytest

from acromeld.batch.delivery import deliver, intact, occupied, place, sweep
from acromeld.errors import OutputProblem
from tests.batch.batches import fill, tree

HASH = "0" * 64


def test_parts_find_their_places(tmp_path):
    delivered = deliver(tmp_path, "sub/a", HASH, {"pdf": b"p", "fields": b"ff", "page-2": b"png"})
    assert tree(tmp_path) == {
        "sub/a.pdf": b"p",
        "sub/a.fields.json": b"ff",
        f"batch-report/pages/{HASH[:24]}-page-2.png": b"png",
    }
    assert delivered.sizes == {"pdf": 1, "fields": 2, "page-2": 3}
    assert intact(tmp_path, "sub/a", delivered.sizes)


def test_a_link_among_the_folders_is_not_followed(tmp_path):
    fill(tmp_path, {"elsewhere/keep": b""})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputProblem, match="in the way"):
        deliver(tmp_path / "out", "sub/a", HASH, {"pdf": b"p"})
    assert tree(tmp_path / "elsewhere") == {"keep": b""}


def test_a_link_in_place_of_an_output_is_replaced_if_forced_and_not_written_through(tmp_path):
    fill(tmp_path, {"precious.pdf": b"original"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.pdf").symlink_to(tmp_path / "precious.pdf")
    assert occupied(tmp_path / "out", "a", fields_only=False) == "a.pdf"
    assert occupied(tmp_path / "out", "a", fields_only=True) == ""
    with pytest.raises(OutputProblem, match="left alone"):
        deliver(tmp_path / "out", "a", HASH, {"pdf": b"original"})
    assert (tmp_path / "out" / "a.pdf").is_symlink()
    deliver(tmp_path / "out", "a", HASH, {"pdf": b"new"}, ours=None)
    assert (tmp_path / "precious.pdf").read_bytes() == b"original"
    assert not (tmp_path / "out" / "a.pdf").is_symlink()


def test_only_what_is_ours_or_equal_is_replaced(tmp_path):
    first = deliver(tmp_path, "a", HASH, {"pdf": b"p1", "fields": b"f1"})
    ours = set(first.digests.values())
    deliver(tmp_path, "a", HASH, {"pdf": b"p1", "fields": b"f1"})
    deliver(tmp_path, "a", HASH, {"pdf": b"p2", "fields": b"f1"}, ours)
    with pytest.raises(OutputProblem, match=r"^a\.pdf is not as this batch wrote it .*--retry-failed\.$"):
        deliver(tmp_path, "a", HASH, {"pdf": b"p3", "fields": b"f3"}, ours)
    assert tree(tmp_path) == {"a.pdf": b"p2", "a.fields.json": b"f1"}


def test_outputs_that_belong_together_stay_together(tmp_path):
    ours = set(deliver(tmp_path, "a", HASH, {"pdf": b"p1", "fields": b"f1"}).digests.values())
    (tmp_path / "a.fields.json").write_bytes(b"by hand")
    with pytest.raises(OutputProblem, match=r"^a\.fields\.json is not"):
        deliver(tmp_path, "a", HASH, {"pdf": b"p2", "fields": b"f2"}, ours)
    assert tree(tmp_path) == {"a.pdf": b"p1", "a.fields.json": b"by hand"}


def test_a_folder_in_place_of_an_output_is_a_sentence(tmp_path):
    (tmp_path / "a.pdf").mkdir()
    with pytest.raises(OutputProblem, match="left alone"):
        deliver(tmp_path, "a", HASH, {"pdf": b"p"})


@pytest.mark.parametrize("relative", ["../a.pdf", "a/../../b.pdf", "/etc/a.pdf", "a//b.pdf"])
def test_paths_that_lead_elsewhere_are_refused(tmp_path, relative):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputProblem):
        place(tmp_path / "out", relative)


def test_outputs_that_are_gone_or_cut_are_noticed(tmp_path):
    sizes = deliver(tmp_path, "a", HASH, {"pdf": b"pdf", "fields": b"f"}).sizes
    (tmp_path / "a.pdf").write_bytes(b"p")
    assert not intact(tmp_path, "a", sizes)
    (tmp_path / "a.pdf").unlink()
    assert not intact(tmp_path, "a", sizes)


def test_unfinished_files_of_killed_writers_are_swept_up(tmp_path):
    (tmp_path / "sub").mkdir()
    left = tmp_path / "sub" / ".form.pdf.0123456789ab.part"
    others = [tmp_path / "sub" / name for name in ("form.pdf", ".form.pdf.part", "notes.part", ".hidden")]
    for file in (left, *others):
        file.write_bytes(b"x")
    sweep(tmp_path)
    assert not left.exists()
    assert all(file.exists() for file in others)
