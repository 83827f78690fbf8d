import numpy as np

from acromeld.fields import FieldKind
from acromeld.pdf.widgets import NativeWidget
from acromeld.train.ffgbt.examples import assign


def widget(kind, *box):
    return NativeWidget(kind, box)


def test_good_fits_and_only_they_are_fields():
    box = np.array([[0.0, 0, 100, 20], [0, 0, 90, 20], [0, 0, 30, 20], [200, 0, 300, 20]])
    label, fit, target = assign(box, [widget(FieldKind.TEXT, 0, 0, 100, 20)])
    assert label.tolist() == [1, 1, 0, 0]
    assert fit[0] == 1.0
    assert target[1].tolist() == [0, 0, 100, 20]
    assert target[3].tolist() == box[3].tolist()


def test_the_best_of_poor_fits_stands_for_the_field():
    box = np.array([[0.0, 0, 200, 60], [0, 0, 400, 200]])
    label, _, target = assign(box, [widget(FieldKind.SIGNATURE, 10, 10, 60, 40)])
    assert label.tolist() == [3, 0]
    assert target[0].tolist() == [10, 10, 60, 40]


def test_a_field_nobody_touches_makes_no_example():
    label, _, _ = assign(np.array([[0.0, 0, 10, 10]]), [widget(FieldKind.CHOICE, 50, 50, 60, 60)])
    assert label.tolist() == [0]


def test_empty_pages_are_all_background():
    label, fit, _ = assign(np.array([[0.0, 0, 10, 10]]), [])
    assert label.tolist() == [0]
    assert fit.tolist() == [0.0]
