import lightgbm
import numpy as np
import pytest

from acromeld.detect.ffgbt.weights import pack, unpack
from acromeld.errors import IntegrityError
from acromeld.train.ffgbt.export import to_onnx
from acromeld.trees import Trees


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    features = rng.normal(size=(600, 9)).astype(np.float32)
    features[:, 3] = np.round(features[:, 3])
    return features, (features[:, 0] + features[:, 3] > 0.5).astype(int) + (features[:, 1] > 1)


def booster(data, **parameters):
    features, label = data
    if parameters["objective"] == "cross_entropy":
        label = np.minimum(label, 1)
    settings = {"verbosity": -1, "num_leaves": 15, "min_data_in_leaf": 5, "num_threads": 1, "seed": 1}
    return lightgbm.train(settings | parameters, lightgbm.Dataset(features, label), 20)


def test_classes_score_the_same_in_onnx(data):
    model = booster(data, objective="multiclass", num_class=3)
    ours = Trees(to_onnx(model, 3))(data[0])
    np.testing.assert_allclose(ours, model.predict(data[0], raw_score=True), atol=1e-5)


def splits(node):
    """(feature, threshold) of every branch below a node of a model dump."""
    if "leaf_value" in node:
        return []
    here = (node["split_feature"], node["threshold"])
    return [here, *splits(node["left_child"]), *splits(node["right_child"])]


def test_values_on_a_threshold_go_the_same_way(data):
    model = booster(data, objective="cross_entropy")
    trees = model.dump_model()["tree_info"]
    branches = [split for tree in trees for split in splits(tree["tree_structure"])]
    rows = np.repeat(data[0][:1], len(branches), axis=0)
    for row, (feature, threshold) in zip(rows, branches, strict=True):
        row[feature] = threshold
    ours = Trees(to_onnx(model, 1))(rows)[:, 0]
    np.testing.assert_allclose(ours, model.predict(rows, raw_score=True), atol=1e-5)


def test_same_model_same_bytes(data):
    model = booster(data, objective="cross_entropy")
    assert to_onnx(model, 1) == to_onnx(model, 1)


def parts():
    return {
        "features": ("a", "b"),
        "table": np.ones((5, 8, 3), dtype=np.float32),
        "models": {"classify": b"1", "reconsider": b"2", "quality": b"3"},
        "snap": {"mean": np.zeros(2, dtype=np.float32)},
    }


def test_weights_survive_packing_and_are_repeatable():
    data = pack(**parts())
    assert data == pack(**parts())
    weights = unpack(data)
    assert weights.features == ("a", "b")
    assert weights.reconsider == b"2"
    assert weights.table.shape == (5, 8, 3)


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:200], lambda d: b"not weights"])
def test_damaged_weights_are_refused(damage):
    with pytest.raises(IntegrityError):
        unpack(damage(pack(**parts())))
