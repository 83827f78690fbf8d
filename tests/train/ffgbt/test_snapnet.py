import numpy as np
import pytest

from acromeld.detect.ffgbt.snap import snap

torch = pytest.importorskip("torch", reason="training needs torch; make test-train installs it, also in CI")

from acromeld.train.ffgbt.snapnet import fit_snap, snap_loss


def test_it_learns_to_move_a_side_to_the_rule():
    rng = np.random.default_rng(3)
    features = rng.uniform(0, 12, size=(3000, 4)).astype(np.float32)
    box = np.tile(np.array([[10.0, 10, 110, 30]], dtype=np.float32), (3000, 1))
    target = box.copy()
    target[:, 3] += features[:, 1]
    held_out = np.arange(3000) % 5 == 0
    layers = fit_snap(features[~held_out], box[~held_out], target[~held_out], epochs=25)
    moved = snap(box[held_out].astype(float), features[held_out], layers)
    assert np.abs(moved - target[held_out]).mean() < 0.6


def test_loss_is_zero_for_a_perfect_move():
    box = torch.tensor([[0.0, 0, 10, 10]])
    target = torch.tensor([[1.0, 0, 12, 10]])
    assert snap_loss((target - box) / 8.0, box, target).item() == pytest.approx(0.0, abs=1e-6)


def test_a_box_that_would_collapse_stays():
    layers = {
        "mean": np.zeros(1, dtype=np.float32),
        "spread": np.ones(1, dtype=np.float32),
        "weight0": np.zeros((1, 4), dtype=np.float32),
        "bias0": np.array([4, 0, -4, 0], dtype=np.float32),
    }
    box = np.array([[0.0, 0, 10, 10], [0, 0, 200, 10]])
    moved = snap(box, np.zeros((2, 1), dtype=np.float32), layers)
    assert moved[0].tolist() == [0, 0, 10, 10]
    assert moved[1].tolist() == [32, 0, 168, 10]
