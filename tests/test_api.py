# SPDX-License-Identifier: Apache-2.0
"""The package as a library: names, options and failures as a programmer meets them."""

import copy
import inspect
import io
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pikepdf
import pytest

import acromeld
from acromeld.errors import AcromeldError, BadUsage, ExitCode
from acromeld.pdf.page import PageNeeds
from acromeld.recovery import detect as plain_detect
from tests.form.samples import EXAMPLE, FIELDS, fields_for, flat, source
from tests.form.test_existing import with_widget
from tests.test_recovery import Scored


def removed(form: acromeld.recovery.WrittenForm) -> bool:
    with pikepdf.open(io.BytesIO(form.data)) as pdf:
        names = [str(item.get("/T")) for item in pdf.pages[0].obj["/Annots"]]
    return "old" not in names


@pytest.mark.parametrize("existing", ["replace", acromeld.Existing.REPLACE])
def test_words_do_as_well_as_the_values_they_stand_for(existing):
    data = with_widget()
    fields = fields_for(source(data), FIELDS)
    assert removed(acromeld.apply(data, fields, existing=existing, isolated=False))
    assert removed(acromeld.recover(data, existing=existing, detector="rules", isolated=False).form)
    assert not removed(acromeld.apply(data, fields, existing="keep", isolated=False))


def test_ocr_can_be_switched_off_by_a_word(tmp_path):
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(300, 300))
    pdf.save(tmp_path / "scan.pdf")
    finder = Scored(0.9)
    finder.needs = PageNeeds(raster_long_side=200)
    as_word, as_value = (
        acromeld.detect(tmp_path / "scan.pdf", detector=finder, ocr=ocr, isolated=False).pages[0].notes
        for ocr in ("off", acromeld.Ocr.OFF)
    )
    assert as_word == as_value == ("Page 1 has no text, so its fields are numbered, not named.",)


WRONG = {"existing": "overwrite", "ocr": True, "signatures": "none"}


@pytest.mark.parametrize("name", WRONG)
def test_a_word_that_means_nothing_is_told_with_those_that_do(name):
    document = source(flat())
    calls = [lambda **options: acromeld.recover(document, isolated=False, **options)]
    if name == "existing":
        calls.append(
            lambda **options: acromeld.apply(document, fields_for(document), isolated=False, **options)
        )
    else:
        calls.append(lambda **options: acromeld.detect(document, isolated=False, **options))
    for call in calls:
        with pytest.raises(BadUsage) as caught:
            call(**{name: WRONG[name]})
        assert isinstance(caught.value, AcromeldError)
        assert caught.value.exit_code is ExitCode.USAGE
        said = str(caught.value)
        assert said.startswith(f"{name} is one of ")
        assert said.endswith(f", not {WRONG[name]!r}.")


def test_every_option_is_explained():
    for function in (acromeld.detect, acromeld.apply, acromeld.recover):
        explained = inspect.getdoc(function)
        missing = [name for name in inspect.signature(function).parameters if f"{name}: " not in explained]
        assert not missing, function


@pytest.mark.parametrize("first", ["", "import acromeld.recovery", "import acromeld.detect.registry"])
def test_detect_is_the_same_from_the_first_moment_on(first):
    code = f"""if True:
        import inspect, pickle
        import acromeld
        {first}
        detect = acromeld.detect
        from acromeld import detect as again
        import acromeld.detect.registry
        from acromeld.recovery import detect as plain
        assert detect is again is acromeld.detect
        assert acromeld.detect.registry.DEFAULT
        assert inspect.signature(detect) == inspect.signature(plain)
        assert detect.__doc__ == plain.__doc__ and "Find the fields" in inspect.getdoc(detect)
        assert pickle.loads(pickle.dumps(detect)) is detect
        print(pickle.dumps(detect).hex())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Another process gets it as it is, without having met it before.
    other = f"import pickle; print(callable(pickle.loads(bytes.fromhex({done.stdout.strip()!r}))))"
    called = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=False)
    assert called.stdout == "True\n", called.stderr


def test_detect_can_be_handed_to_other_programs():
    assert copy.deepcopy(acromeld.detect) is acromeld.detect
    assert pickle.loads(pickle.dumps(acromeld.detect))(EXAMPLE, detector="rules") == plain_detect(
        EXAMPLE, detector="rules"
    )


def test_files_are_written_to_paths_of_every_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for target in ("as text", tmp_path / "as a path"):
        acromeld.write_atomically(b"data", target, overwrite=False)
        assert Path(target).read_bytes() == b"data"
    assert sorted(os.listdir()) == ["as a path", "as text"]
