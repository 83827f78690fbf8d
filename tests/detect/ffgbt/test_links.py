import numpy as np

from acromeld.detect.ffgbt.links import link_vectors


def linked(box, score, mark):
    vectors = link_vectors(np.array(box, dtype=float), np.array(score), np.array(mark))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    return vectors @ vectors.T > 0.5


def test_nested_spaces_are_one_place_and_neighbours_are_not():
    box = [[0, 0, 100, 30], [0, 10, 100, 30], [100, 0, 200, 30]]
    same = linked(box, [0.5, 0.9, 0.8], [False] * 3)
    assert same[0, 1]
    assert not same[0, 2]
    assert not same[1, 2]


def test_a_box_to_tick_inside_a_cell_keeps_its_own_place():
    same = linked([[0, 0, 100, 30], [5, 5, 15, 15]], [0.9, 0.8], [False, True])
    assert not same[0, 1]


def test_no_candidates():
    assert link_vectors(np.zeros((0, 4)), np.zeros(0), np.zeros(0, dtype=bool)).shape == (0, 1)
