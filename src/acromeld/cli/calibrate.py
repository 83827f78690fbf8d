# SPDX-License-Identifier: Apache-2.0
"""``acromeld calibrate``: choose the operating point of a detector."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from acromeld.cli.console import page_progress, print_json
from acromeld.cli.targets import check_targets
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import BadFields, IntegrityError
from acromeld.evaluate.adapters import compare
from acromeld.evaluate.calibration import calibrate as calibrate_pages
from acromeld.evaluate.points import write_point
from acromeld.evaluate.sharding import check_sources
from acromeld.evaluate.signature_threshold import with_signatures
from acromeld.evaluate.sources import read_sources
from acromeld.evaluate.truth import check_role_files, role_pages, role_targets


def calibrate(
    *predictions: Path,
    index: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    role: Role = Role.CALIBRATION,
    pdf: Path | None = None,
    signature_threshold: Annotated[float, Parameter(validator=validators.Number(gte=0.01, lte=0.99))]
    | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Find the class thresholds and suppression with the greatest native micro-F1, exactly.

    Args:
        predictions: Folders of shards (``acromeld predict``) or files of candidate lines of the role.
        index: The sealed index.
        output: The operating-point record to write, once.
        role: The role to calibrate on; the point of another one than calibration is for looking and cannot
            be frozen.
        pdf: Folder of the PDFs, to check that they are the sealed ones.
        signature_threshold: That of signatures, once micro-F1 has chosen the rest: one field in four hundred
            is a signature, so it would leave out nearly all, and this role has too few to choose by them.
        json: Print the outcome as JSON.
    """
    check_targets([], [output], force=False)
    read = read_sources(predictions)
    if any(page.decoded for page in read.pages.values()):
        raise BadFields("Calibration needs candidates before suppression; make them with acromeld predict.")
    if role is Role.CALIBRATION and read.scanned:
        raise IntegrityError("The point of a candidate is chosen on pages as they are, not on poor scans.")
    with open_index(index) as opened:
        read.check_about(opened.digest, role)
        pages = role_pages(opened, role)
        if read.headers:
            check_sources(read.headers, pages.keys())
        if pdf is not None:
            with page_progress("Checking files") as progress:
                check_role_files(opened.documents(role), pdf, None, progress)
        targets, digest = role_targets(opened, pages), opened.digest
    foreign = read.pages.keys() - targets.keys()
    if foreign or targets.keys() - read.pages.keys():
        raise IntegrityError(f"The candidates do not cover exactly the {len(targets):,} pages of {role}.")
    began = time.perf_counter()
    compared = compare(read.pages, targets)
    found = calibrate_pages(compared)
    if signature_threshold is not None:
        found = with_signatures(found, compared, signature_threshold)
    seconds = time.perf_counter() - began
    record = write_point(output, found, read, index=digest, role=role, seconds=seconds)
    if json:
        print_json(record)
        return 0
    chosen, counts = found.selected.point(), found.selected.counts
    print(
        f"{output}: text {chosen.text:g}, choice {chosen.choice:g}, signature {chosen.signature:g}, "
        f"NMS {chosen.nms:g}, link {chosen.link:g}; native micro-F1 {counts.f1 or 0:.6f} on "
        f"{len(targets):,} pages; {found.tied} of {len(found.cells)} cells tie; {seconds:.1f} s."
    )
    return 0
