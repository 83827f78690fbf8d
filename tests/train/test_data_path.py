# SPDX-License-Identifier: Apache-2.0
"""Cache, transform, augmentation, missing structure, sampling: what a training page can look like."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.train.data.augment import Augmentation, jpeg, noisy, photometric, stroked, toned
from acromeld.train.data.cache import open_cache
from acromeld.train.data.loader import Lessons, Recipe, load
from acromeld.train.data.sampler import Visit, epoch_batches, lessons_of, share
from acromeld.train.data.structure import MissingStructure, thinned, training_tokens, unread
from acromeld.train.data.transform import as_detected, drawn, on_canvas, raster_shape, resampled
from acromeld.train.engine.plan import PAPER
from tests.train.made_up import SMALL, made_cache, made_record, made_tokens

CANVASES = SMALL.canvases


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return made_cache(tmp_path_factory.mktemp("cache") / "pages", documents=13, development=3)


def batches_of(cache, epoch=0, size=2, per_step=2, weight=3):
    rows = cache.rows(Role.TRAIN_REAL)
    return epoch_batches(
        cache.pages, rows, CANVASES,
        seed=5, epoch=epoch, size=size, per_step=per_step, signature_weight=weight,
    )  # fmt: skip


def test_a_cache_gives_back_what_was_put_in(cache):
    again = open_cache(cache.folder, contract=SMALL)
    assert again.digest == cache.digest
    for row in (0, 2):
        kept, made = again.read(row), made_record(row)
        assert (kept.raster == made.raster).all()
        assert (kept.boxes == made.boxes).all()
        assert (kept.own.descriptor == made.own.descriptor).all()
        assert (kept.size, kept.corner) == (made.size, made.corner)
        assert again.read(row, raster=False).raster.size == 0


def test_a_changed_cache_is_refused_by_name(cache, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(cache.folder, folder)
    victim = sorted((folder / "documents").glob("*.npz"))[3]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(bytes(data))
    with pytest.raises(IntegrityError, match=victim.name):
        open_cache(folder)
    assert len(open_cache(folder, verify=False)) == len(cache)


def test_a_changed_list_is_refused(cache, tmp_path):
    shutil.copytree(cache.folder, tmp_path / "copy")
    path = tmp_path / "copy" / "cache.json"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("group 1", "group 2", 1))
    with pytest.raises(IntegrityError, match=r"cache\.json was changed"):
        open_cache(tmp_path / "copy")


def test_a_cache_for_other_inputs_or_none_at_all_is_refused(cache, tmp_path):
    other = SMALL.model_copy(update={"max_evidence": SMALL.max_evidence + 1})
    with pytest.raises(IntegrityError, match="other canvases or tokens"):
        open_cache(cache.folder, contract=other)
    with pytest.raises(InputNotFound, match="not a finished page cache"):
        open_cache(tmp_path)


def test_the_clean_transform_is_the_detectors_own():
    record = made_record(1)
    transform = as_detected(record, CANVASES)
    image = on_canvas(resampled(record.raster, transform.factor), transform)
    assert image.shape == (1, *CANVASES.portrait)
    x, y = record.corner
    assert (image[:, y : y + record.raster.shape[1], x : x + record.raster.shape[2]] == record.raster).all()


def test_the_shape_of_a_raster_follows_from_the_page():
    for number in range(3):
        record = made_record(number)
        assert raster_shape(record, CANVASES) == record.raster.shape[1:]


@pytest.mark.parametrize("number", range(6))
def test_scaled_and_moved_pages_stay_whole_and_keep_their_fields(number):
    record, rng = made_record(number), np.random.default_rng(number)
    for _ in range(20):
        transform = drawn(record, raster_shape(record, CANVASES), CANVASES, PAPER.augmentation.scale, rng)
        assert 0.92 <= transform.factor <= 1.0
        pixels = resampled(record.raster, transform.factor)
        height, width = transform.place.canvas
        assert transform.corner[0] + pixels.shape[2] <= width
        assert transform.corner[1] + pixels.shape[1] <= height
        image = on_canvas(pixels, transform)[0]
        boxes = transform.place.to_canvas(record.boxes.astype(np.float64)) * [width, height, width, height]
        for x0, y0, x1, y1 in boxes:
            # The middle of every field is dark where its box says, to a pixel.
            assert image[int((y0 + y1) / 2), int((x0 + x1) / 2)] < 128
        dark = np.argwhere(image < 128)
        assert dark[:, 1].min() >= boxes[:, 0].min() - 1.5
        assert dark[:, 1].max() <= boxes[:, 2].max() + 1.5
        assert dark[:, 0].min() >= boxes[:, 1].min() - 1.5
        assert dark[:, 0].max() <= boxes[:, 3].max() + 1.5


def test_moves_reach_both_ends_of_the_letterbox():
    record, rng = made_record(1), np.random.default_rng(0)
    shape = raster_shape(record, CANVASES)
    found = [drawn(record, shape, CANVASES, (0.92, 0.92), rng).corner for _ in range(300)]
    room = CANVASES.portrait[1] - int(shape[1] * 0.92), CANVASES.portrait[0] - int(shape[0] * 0.92)
    for axis in (0, 1):
        assert {corner[axis] for corner in found} == set(range(room[axis] + 1))


def test_photometric_steps_change_pixels_but_not_their_place():
    pixels = made_record(1).raster
    rng = np.random.default_rng(0)
    always = Augmentation(tone=1, blur=1, jpeg=1, noise=1)
    degraded = photometric(pixels, always, rng)
    assert degraded.shape == pixels.shape
    assert degraded.dtype == np.uint8
    assert (degraded != pixels).any()
    assert ((degraded < 150) == (pixels < 150)).mean() > 0.9
    never = Augmentation(tone=0, blur=0, jpeg=0, noise=0)
    assert (photometric(pixels, never, rng) == pixels).all()


def test_photometric_parts():
    grey = np.full((1, 64, 64), 200, dtype=np.uint8)
    assert (toned(grey, 10, 1.0) == 210).all()
    assert (toned(grey, 0, 0.5) == 164).all()
    assert (toned(grey, 100, 1.0) == 255).all()
    spread = noisy(grey, 5.0, np.random.default_rng(0)).astype(float)
    assert spread.std() == pytest.approx(5.0, rel=0.05)
    assert spread.mean() == pytest.approx(200, abs=0.5)
    colour = np.random.default_rng(0).integers(0, 255, (3, 16, 16)).astype(np.uint8)
    assert jpeg(colour, 90).shape == colour.shape


def test_strokes_become_wider_and_narrower():
    line = np.full((1, 20, 20), 255, dtype=np.uint8)
    line[0, 8:11] = 0
    assert (stroked(line, 1.0)[0, 7:12, 10] == 0).all()
    assert (stroked(line, 0.5)[0, 7, 10]) in (127, 128)
    assert (stroked(line, -1.0)[0, :, 10] == 0).nonzero()[0].tolist() == [9]
    always = Augmentation(tone=0, blur=0, jpeg=0, noise=0, stroke=1, stroke_share=(1.0, 1.0))
    assert (photometric(line, always, np.random.default_rng(0)) == stroked(line, 1.0)).all()


def test_draws_of_an_augmentation_do_not_depend_on_its_probabilities():
    pixels = made_record(1).raster
    after = set()
    for tone in (0.0, 0.5, 1.0):
        rng = np.random.default_rng(3)
        photometric(pixels, Augmentation(tone=tone, noise=0), rng)
        after.add(rng.random())
    assert len(after) == 1


def test_structure_is_missing_as_often_as_the_paper_says():
    record, rng = made_record(1), np.random.default_rng(0)
    lonely = [not training_tokens(record, PAPER.missing, rng).available for _ in range(4000)]
    assert np.mean(lonely) == pytest.approx(0.12, abs=0.02)
    tokens = made_tokens(rng.random((2000, 4), dtype=np.float32), SMALL, rng)
    kept = thinned(tokens, PAPER.missing.tokens, rng)
    assert 1 - len(kept) / len(tokens) == pytest.approx(0.05, abs=0.02)
    assert kept.kind[0] == 0
    assert all(thinned(tokens, 1.0, rng).kind == [0])


def test_a_share_of_the_tokens_cannot_be_read():
    rng = np.random.default_rng(0)
    tokens = made_tokens(rng.random((2000, 4), dtype=np.float32), SMALL, rng)
    tokens = replace(tokens, text=np.maximum(tokens.text, 1))
    silent = (unread(tokens, 0.2, rng).text == 0).all(axis=1)
    assert silent.mean() == pytest.approx(0.2, abs=0.03)
    assert unread(tokens, 0.0, rng) is tokens


def test_a_share_of_pages_shows_what_a_scan_shows():
    rng = np.random.default_rng(0)
    record = made_record(1)
    seen = replace(record.own, descriptor=record.own.descriptor + 7)
    record = replace(record, inferred=seen)
    how = MissingStructure(pages=0.1, tokens=0.0, inferred=0.3)
    shown = [training_tokens(record, how, rng) for _ in range(3000)]
    inferred = [tokens.available and tokens.descriptor[0, 0] > 6 for tokens in shown]
    assert np.mean(inferred) == pytest.approx(0.3, abs=0.03)


def test_a_lonely_sentinel_is_as_wide_as_other_tokens():
    record, rng = made_record(1), np.random.default_rng(0)
    sentinel = training_tokens(record, MissingStructure(pages=1.0), rng)
    assert sentinel.descriptor.shape == (1, SMALL.descriptor)


def test_an_epoch_visits_every_page_once_and_signature_pages_three_times(cache):
    batches = batches_of(cache, size=2, per_step=1)
    visits = Counter(visit.row for batch in batches for visit in batch)
    assert visits == {row: 3 if row == 0 else 1 for row in cache.rows(Role.TRAIN_REAL)}
    numbers = [visit.number for batch in batches for visit in batch]
    assert sorted(numbers) == list(range(15))


def test_synthetic_pages_have_unit_weight(cache):
    pages = [replace(page, role=Role.TRAIN_SYNTHETIC) for page in cache.pages]
    rows = cache.rows(Role.TRAIN_REAL)
    batches = epoch_batches(
        pages, rows, CANVASES, seed=5, epoch=0, size=1, per_step=1, signature_weight=3
    )  # fmt: skip
    assert len(batches) == len(rows)


def test_synthetic_signatures_can_be_left_out_and_real_ones_stay(cache):
    rows = cache.rows(Role.TRAIN_REAL)
    signed = [row for row in rows if cache.pages[row].fields[2]]
    assert signed == [0]
    made = [replace(page, role=Role.TRAIN_SYNTHETIC) for page in cache.pages]
    assert lessons_of(made, rows, synthetic_signatures=True) == rows
    assert lessons_of(made, rows, synthetic_signatures=False) == rows[1:]
    assert lessons_of(cache.pages, rows, synthetic_signatures=False) == rows


def test_halves_are_made_of_whole_groups_and_share_synthetic_pages(cache):
    rows = cache.rows(Role.TRAIN_REAL)
    groups = [f"group {number // 2}" for number in range(len(cache.pages))]
    pages = [replace(page, group=group) for page, group in zip(cache.pages, groups, strict=True)]
    first, second = (lessons_of(pages, rows, synthetic_signatures=True, half=half) for half in (0, 1))
    assert sorted(first + second) == rows
    assert first
    assert second
    assert not {pages[row].group for row in first} & {pages[row].group for row in second}
    made = [replace(page, role=Role.TRAIN_SYNTHETIC) for page in pages]
    assert lessons_of(made, rows, synthetic_signatures=True, half=1) == rows


def test_the_steps_of_a_paper_epoch():
    # 72,548 real and 15,785 synthetic pages; 3,087 steps of 32 need 5,225 or 5,226 pages with a signature.
    for bearing in (5_225, 5_226):
        assert -(-(72_548 + 15_785 + 2 * bearing) // 32) in (3_087, 3_088)


def test_pages_of_a_batch_share_a_canvas_and_steps_are_full(cache):
    batches = batches_of(cache, size=2, per_step=4)
    assert len(batches) % 4 == 0
    for batch in batches:
        sizes = {CANVASES.for_page(cache.pages[v.row].width, cache.pages[v.row].height) for v in batch}
        assert len(sizes) == 1
        assert 1 <= len(batch) <= 2


def test_epochs_are_deterministic_and_differ(cache):
    assert batches_of(cache, epoch=1) == batches_of(cache, epoch=1)
    assert batches_of(cache, epoch=1) != [
        [replace(visit, epoch=1) for visit in batch] for batch in batches_of(cache, epoch=2)
    ]


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_processes_share_the_micro_batches_of_every_step(cache, ranks):
    batches = batches_of(cache, size=2, per_step=4)
    parts = [share(batches, rank, ranks) for rank in range(ranks)]
    together = [batch for step in zip(*parts, strict=True) for batch in step]
    assert together == batches


def test_a_visit_looks_the_same_however_it_is_reached(cache):
    recipe = Recipe(7, Augmentation(), MissingStructure(inferred=0.2))
    batches = batches_of(cache)
    whole = list(load(Lessons(cache, CANVASES, recipe, batches)))
    later = list(load(Lessons(cache, CANVASES, recipe, batches), start=3))
    for one, other in zip(whole[3:], later, strict=True):
        assert one.visits == other.visits
        assert torch.equal(one.batch.images, other.batch.images)
        assert torch.equal(one.batch.tokens.box, other.batch.tokens.box)
        assert all(
            torch.equal(a.boxes, b.boxes) for a, b in zip(one.batch.targets, other.batch.targets, strict=True)
        )


def test_loading_leaves_the_global_generator_alone(cache):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    list(load(Lessons(cache, CANVASES, Recipe(7, Augmentation()), batches_of(cache))))
    assert torch.equal(torch.get_rng_state(), before)


def test_repeated_visits_of_a_page_differ(cache):
    lessons = Lessons(cache, CANVASES, Recipe(7, Augmentation()), [])
    first, second = (lessons.lesson(Visit(0, 0, number))[0].image for number in (0, 1))
    assert first.shape == second.shape
    assert (first != second).any()


def test_tokens_and_targets_move_with_the_picture(cache):
    lessons = Lessons(cache, CANVASES, Recipe(7, Augmentation()), [])
    inputs, targets = lessons.lesson(Visit(1, 0, 9))
    low, size = targets.boxes[:, :2] - targets.boxes[:, 2:] / 2, targets.boxes[:, 2:]
    corners = torch.cat([low, low + size], dim=1).numpy()
    # In the made-up pages tokens 1.. are the fields themselves.
    assert inputs.token_box[1:] == pytest.approx(corners, abs=1e-5)
