# SPDX-License-Identifier: Apache-2.0
"""Is one detector better than another? The difference of their micro-F1 with a paired interval.

    python tools/paired.py INDEX --role development A_PREDICTIONS A_POINT.json B_PREDICTIONS B_POINT.json

Both are scored on the pages that both have answered, each at its own operating point. Provenance groups are
drawn with replacement, the same ones for both, 10,000 times; the interval holds 95 % of the differences
A less B. A point is a record of ``acromeld calibrate`` or a bare one (``{"text": 0.3, ...}``).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page
from acromeld.evaluate.bootstrap import paired_bootstrap
from acromeld.evaluate.points import read_point
from acromeld.evaluate.sources import read_sources
from acromeld.evaluate.truth import role_pages, role_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from acromeld.evaluate.adapters import Adapter, Comparison
    from acromeld.fields import OperatingPoint

    Counts = npt.NDArray[np.int64]


def counts(
    pages: Iterable[Comparison], point: OperatingPoint, adapter: Adapter, group: Mapping[str, str]
) -> Counts:
    """Matched, predicted and labelled fields of each group, ``(groups, 3)``, in the order of their names."""
    found: defaultdict[str, Counts] = defaultdict(lambda: np.zeros(3, dtype=np.int64))
    for page in pages:
        scored = score_page(page, adapter, point).counts()
        found[group[page.targets.document]] += [scored.matched, scored.predicted, scored.targets]
    return np.array([found[name] for name in sorted(found)])


def micro_f1(count: Counts) -> float:
    """Micro-F1 of counts ``(groups, 3)``."""
    matched, predicted, targets = count.sum(axis=0)
    return float(2 * matched / max(predicted + targets, 1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("--role", type=Role, default=Role.DEVELOPMENT)
    for name in ("a", "b"):
        parser.add_argument(f"{name}_predictions", type=Path)
        parser.add_argument(f"{name}_point", type=Path)
    given = parser.parse_args()
    with open_index(given.index) as index:
        targets = role_targets(index, role_pages(index, given.role))
        group = {row.sha256: row.final_group for row in index.documents(given.role)}
    answers = [read_sources([folder]).pages for folder in (given.a_predictions, given.b_predictions)]
    points = [read_point(path) for path in (given.a_point, given.b_point)]
    both = set(answers[0]) & set(answers[1]) & set(targets)
    truth = {key: targets[key] for key in both}
    pages = [list(compare({key: each[key] for key in both}, truth)) for each in answers]
    for adapter in (NATIVE, STRICT):
        a, b = (counts(*pair, adapter, group) for pair in zip(pages, points, strict=True))
        interval = paired_bootstrap(b, a)
        if interval is None:
            raise SystemExit("There is no page that both have answered.")
        first, second = micro_f1(a), micro_f1(b)
        print(
            f"{adapter.name}: {first:.4f} and {second:.4f}, difference {first - second:+.4f} "
            f"[{interval.low:+.4f}, {interval.high:+.4f}] on {len(both)} pages of {len(a)} groups"
        )


if __name__ == "__main__":
    main()
