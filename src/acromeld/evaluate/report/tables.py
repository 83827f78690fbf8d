# SPDX-License-Identifier: Apache-2.0
"""The tables of a report: plain rows of text, one system beside the other.

``systems`` is always a mapping from the name of a system to its results (`acromeld.evaluate.report_data`).
Undefined values are a dash, never a zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acromeld.fields import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Systems = Mapping[str, Mapping[str, Any]]

CONTROL = "fixed"
"""Name of the point that stands beside the one a system is judged at."""

_DENSITY_ORDER = ("0", "1-10", "11-100", "101-300", ">300")


@dataclass(frozen=True)
class Table:
    """A titled table; ``name`` is its file name, ``note`` a sentence below it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def number(value: float | None, digits: int = 4) -> str:
    """A ratio for people; undefined is a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def evaluation_tables(systems: Systems) -> list[Table]:
    """Every table there is something to say in."""
    tables = [
        _overall(systems),
        _coco(systems),
        _classes(systems),
        *(_stratum(systems, name) for name in ("density", "vector", "orientation")),
        _empty(systems),
        _documents(systems),
        _origins(systems),
        _suppression(systems),
        _throughput(systems),
    ]
    return [table for table in tables if table.rows]


def _points(systems: Systems) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """System, point and record, the control last; a point that is the control itself is shown as that."""
    for label, results in systems.items():
        points = results["points"]
        control = points[CONTROL]["operating_point"]
        for name, record in sorted(points.items(), key=lambda item: item[0] == CONTROL):
            if name == CONTROL or record["operating_point"] != control:
                yield label, name, record


def _overall(systems: Systems) -> Table:
    rows = []
    for label, name, record in _points(systems):
        native, strict = record["native"]["micro"], record["strict"]["micro"]
        interval = (record.get("bootstrap") or {}).get("f1")
        rows.append(
            (
                label,
                _point_name(name, record["operating_point"]),
                *(number(native[key]) for key in ("precision", "recall", "f1")),
                "–" if interval is None else f"{interval['low']:.4f}–{interval['high']:.4f}",
                *(number(strict[key]) for key in ("precision", "recall", "f1")),
            )
        )
    columns = ("system", "point", "native P", "native R", "native F1", "95 % interval")
    note = (
        "Native: overlap >= 0.3, cap 896. Strict: IoU >= 0.5, cap 300. Interval: percentile bootstrap of "
        "native F1, clustered by document."
    )
    return Table(
        "overall", "Micro scores", (*columns, "strict P", "strict R", "strict F1"), tuple(rows), note
    )


def _point_name(name: str, point: Mapping[str, Any]) -> str:
    thresholds = "/".join(f"{point[kind.value]:g}" for kind in KINDS)
    return f"{name} {thresholds}"


def _coco(systems: Systems) -> Table:
    rows = []
    for label, results in systems.items():
        coco, overlap = results["coco"], results["overlap_ap"]
        classes = (number(coco["classes"][kind.value]["ap"]) for kind in KINDS)
        values = (number(coco[key]) for key in ("map", "ap50", "ap75"))
        rows.append((label, *values, *classes, number(overlap["ap"])))
    columns = ("system", "mAP", "AP50", "AP75", *(f"AP {kind.value}" for kind in KINDS), "overlap AP")
    note = "COCO AP at IoU .50:.05:.95 of the class-global Top-300; overlap AP under the native criterion."
    return Table("coco", "Average precision", columns, tuple(rows), note)


def _classes(systems: Systems) -> Table:
    rows = []
    for label, name, record in _points(systems):
        for kind in KINDS:
            native = record["native"]["classes"][kind.value]
            strict = record["strict"]["classes"][kind.value]
            counts = (f"{native[key]:,}" for key in ("tp", "fp", "fn"))
            ratios = (number(native[key]) for key in ("precision", "recall", "f1"))
            rows.append((label, name, kind.value, *counts, *ratios, number(strict["f1"])))
    columns = ("system", "point", "class", "TP", "FP", "FN", "native P", "native R", "native F1", "strict F1")
    return Table("classes", "Per class", columns, tuple(rows))


def _stratum(systems: Systems, name: str) -> Table:
    found = {label: results["strata"][name] for label, results in systems.items()}
    strata = sorted({key for groups in found.values() for key in groups}, key=_stratum_order)
    rows = []
    for stratum in strata:
        pages = max(groups[stratum]["pages"] for groups in found.values() if stratum in groups)
        scores = (number(groups[stratum]["micro"]["f1"]) for groups in found.values() if stratum in groups)
        rows.append((stratum, f"{pages:,}", *scores))
    titles = {
        "density": "Fields on the page",
        "vector": "Vector structure",
        "orientation": "Page orientation",
    }
    note = "Native micro-F1 at the selected point of each system."
    return Table(f"strata-{name}", titles[name], (name, "pages", *systems), tuple(rows), note)


def _stratum_order(name: str) -> tuple[int, str]:
    return (_DENSITY_ORDER.index(name) if name in _DENSITY_ORDER else 0, name)


def _empty(systems: Systems) -> Table:
    rows = []
    for label, results in systems.items():
        empty = results["strata"]["empty"]
        if empty["pages"]:
            share, mean = number(empty["share_with_fp"]), number(empty["fp_per_page"], 2)
            rows.append((label, f"{empty['pages']:,}", f"{empty['pages_with_fp']:,}", share, mean))
    columns = ("system", "pages without a field", "with a false positive", "share", "false positives a page")
    return Table("empty", "Pages without a field", columns, tuple(rows))


def _documents(systems: Systems) -> Table:
    rows = []
    keys = ("lower_quartile", "median", "upper_quartile", "share_well", "mistakes_of_worst")
    for label, results in systems.items():
        # Evaluations made before this was counted have nothing to show here.
        spread = results["strata"].get("documents")
        if spread and spread["documents"]:
            rows.append((label, f"{spread['documents']:,}", *(number(spread[key]) for key in keys)))
    columns = ("system", "documents", "lower quartile", "median", "upper quartile", "0.9 or more")
    note = (
        "Native F1 of each document at the selected point; last, the share of all mistakes that the document "
        "with most of them has."
    )
    title = "Document by document"
    return Table("documents", title, (*columns, "mistakes in the worst"), tuple(rows), note)


def _origins(systems: Systems) -> Table:
    rows = []
    for label, results in systems.items():
        for origin, row in results["strata"]["origin"].items():
            if origin != "unknown":
                counts = (f"{row['tp']:,}", f"{row['fp']:,}")
                rows.append((label, origin, *counts, number(row["precision"])))
    return Table(
        "origin", "Where predictions came from", ("system", "origin", "TP", "FP", "precision"), tuple(rows)
    )


_FATES = ("kept", "below_threshold", "suppressed_nms", "suppressed_link", "over_cap")


def _suppression(systems: Systems) -> Table:
    rows = []
    for label, results in systems.items():
        for origin, fates in (results["strata"]["suppression"] or {}).items():
            rows.append((label, origin, *(f"{fates[fate]:,}" for fate in _FATES)))
    columns = ("system", "origin", *(fate.replace("_", " ") for fate in _FATES))
    return Table("suppression", "What became of the candidates", columns, tuple(rows))


def _throughput(systems: Systems) -> Table:
    rows = []
    for label, results in systems.items():
        pace = results.get("throughput")
        if pace and pace["pages_per_second"]:
            memory = f"{pace['peak_memory_bytes'] / 1e6:,.0f}"
            rows.append((label, f"{pace['pages']:,}", number(pace["pages_per_second"], 2), memory))
    columns = ("system", "pages", "pages/s", "peak memory, MB")
    note = "As recorded when the shards were made; the machine may have been busy with other work."
    return Table("throughput", "Throughput", columns, tuple(rows), note)


def worst_table(systems: Systems) -> Table:
    """The pages with the most mistakes of each system, by hash."""
    rows = [
        (label, page["document"], str(page["page"] + 1), *(f"{page[key]:,}" for key in ("tp", "fp", "fn")))
        for label, results in systems.items()
        for page in results["worst_pages"]
    ]
    return Table("worst", "Worst pages", ("system", "document", "page", "TP", "FP", "FN"), tuple(rows))


def reliability_table(systems: Systems) -> Table:
    """Confidence against what it was worth."""
    rows = [
        (
            label,
            f"{part['low']:.1f}–{part['high']:.1f}",
            f"{part['predictions']:,}",
            number(part["mean_score"]),
            number(part["precision"]),
        )
        for label, results in systems.items()
        for part in results["reliability"]
        if part["predictions"]
    ]
    columns = ("system", "score", "predictions", "mean score", "precision")
    return Table("reliability", "Reliability of confidence", columns, tuple(rows))


def left_out_tables(details: Mapping[str, Any]) -> list[Table]:
    """What of an external corpus could not be judged, or was judged unseen; empty tables are left out."""
    reasons = ("document", "reason")
    tables = [
        Table(
            "unreadable",
            "Documents whose fields could not be read",
            reasons,
            tuple((row["name"], row["reason"]) for row in details.get("unreadable", ())),
            "They do not count.",
        ),
        Table(
            "undetected",
            "Documents the detector could not read",
            reasons,
            tuple((row["name"], row["reason"]) for row in details.get("undetected", ())),
            "Their fields, where they could be read, count as missed.",
        ),
        Table(
            "skipped",
            "Pages the detector skipped",
            ("document", "page", "reason"),
            tuple(
                (row["name"], str(row["page"] + 1), " ".join(row["notes"]))
                for row in details.get("skipped_pages", ())
            ),
            "Their fields count as missed.",
        ),
    ]
    return [table for table in tables if table.rows]
