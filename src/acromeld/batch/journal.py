# SPDX-License-Identifier: Apache-2.0
"""The journal of a batch: what is to be done, what is done, in an SQLite file in the output folder.

An output is on the disk before the journal says so, and a name is in the journal before its output exists.
So whenever the run is killed, the next one knows which names are its own and what is left. With write-ahead
logging a crash loses at most the last entries, whose documents are then done again with the same result.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acromeld.batch.job import Outcome
from acromeld.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from acromeld.batch.job import Delivered
    from acromeld.batch.scan import Found

FORMAT = "acromeld.batch/1"

_SCHEMA = """
create table if not exists meta (key text primary key, value text not null) strict;
create table if not exists files (
    id integer primary key,
    relative blob not null unique,
    stem blob not null,
    sha256 text not null,
    size integer not null,
    present integer not null,
    ours integer not null,
    state text not null check (state in ('planned', 'done', 'failed')),
    outcome text not null default '',
    digests text not null default '{}',
    sizes text not null default '{}',
    attempts integer not null default 0,
    seconds real not null default 0
) strict;
create index if not exists files_by_hash on files (sha256, state);
"""

_PLAN = """
insert into files (relative, stem, sha256, size, ours, present, state) values (?, ?, ?, ?, ?, 1, 'planned')
on conflict (relative) do update set
    present = 1,
    size = excluded.size,
    ours = max(ours, excluded.ours),
    state = iif(sha256 = excluded.sha256, state, 'planned'),
    sha256 = excluded.sha256
"""


@dataclass(frozen=True)
class Entry:
    """One input file and how it stands."""

    key: int
    relative: str
    stem: str
    sha256: str
    size: int
    ours: bool
    state: str
    outcome: Outcome | None
    digests: dict[str, str]
    sizes: dict[str, int]


class Journal:
    """An open journal; one process at a time, see `acromeld.batch.lock`."""

    def __init__(self, path: Path) -> None:
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            self._base.execute("pragma journal_mode=wal")
            self._base.execute("pragma synchronous=normal")
            self._base.executescript(_SCHEMA)
        except sqlite3.OperationalError:
            # A full disk or a file that cannot be opened says nothing about what is in it.
            raise
        except sqlite3.DatabaseError as error:
            raise IntegrityError(f"{path} is not a journal of a batch: {error}.") from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def configuration(self) -> dict[str, Any]:
        """With what the journal was begun; empty for a new one."""
        row = self._base.execute("select value from meta where key = 'configuration'").fetchone()
        return dict(json.loads(row[0])) if row else {}

    def begin(self, configuration: dict[str, Any], *, afresh: bool) -> None:
        """Write the configuration down; afresh, everything done so far counts as planned again."""
        with self._base:
            self._base.execute("begin immediate")
            if afresh:
                self._base.execute("update files set state = 'planned', outcome = ''")
            value = json.dumps(configuration, sort_keys=True)
            self._base.execute("insert or replace into meta values ('configuration', ?)", (value,))

    def stems(self) -> dict[str, str]:
        """Names given so far, by input path."""
        rows = self._base.execute("select relative, stem from files")
        return {os.fsdecode(relative): os.fsdecode(stem) for relative, stem in rows}

    def owned(self) -> set[str]:
        """Input paths whose output names nothing else had when they were planned."""
        rows = self._base.execute("select relative from files where ours = 1")
        return {os.fsdecode(relative) for (relative,) in rows}

    def plan(self, files: Iterable[Found], names: dict[str, str], blocked: Collection[str]) -> None:
        """Bring the list of files up to date; one whose content has changed is to be done again.

        ``blocked`` are the input paths whose outputs would replace a file that is not ours.
        """
        rows = [
            (
                os.fsencode(file.relative),
                os.fsencode(names[file.relative]),
                file.sha256,
                file.size,
                file.relative not in blocked,
            )
            for file in files
        ]
        with self._base:
            self._base.execute("begin immediate")
            self._base.execute("update files set present = 0")
            self._base.executemany(_PLAN, rows)

    def entries(self, state: str | None = None) -> list[Entry]:
        """Files that are there, in the order of their paths."""
        columns = "id, relative, stem, sha256, size, ours, state, outcome, digests, sizes"
        query = (
            f"select {columns} from files where present = 1 and (? is null or state = ?) order by relative"
        )
        with closing(self._base.execute(query, (state, state))) as rows:
            return [_entry(row) for row in rows]

    def finish(
        self,
        key: int,
        outcome: Outcome,
        delivered: Delivered,
        *,
        attempts: int = 1,
        seconds: float = 0.0,
    ) -> None:
        """Write down how a file ended; its outputs are in place.

        A failure writes nothing, so outputs of an earlier run stay, and their digests with them: by these
        the next run knows what is ours to replace.
        """
        self._base.execute(
            """update files set state = ?, outcome = ?, digests = coalesce(?, digests),
            sizes = coalesce(?, sizes), attempts = attempts + ?, seconds = ? where id = ?""",
            (
                "done" if outcome.done else "failed",
                outcome.model_dump_json(exclude={"again"}),
                json.dumps(delivered.digests, sort_keys=True) if outcome.done else None,
                json.dumps(delivered.sizes, sort_keys=True) if outcome.done else None,
                attempts,
                seconds,
                key,
            ),
        )

    def reopen(self, keys: Iterable[int]) -> None:
        """Files to be done again: those whose outputs are gone, or failures that get another chance."""
        with self._base:
            self._base.execute("begin immediate")
            self._base.executemany(
                "update files set state = 'planned' where id = ?", [(key,) for key in keys]
            )

    def seconds(self) -> float:
        """Worker time spent on the files that are there."""
        return float(self._base.execute("select total(seconds) from files where present = 1").fetchone()[0])


def _entry(row: tuple[Any, ...]) -> Entry:
    key, relative, stem, sha256, size, ours, state, outcome, digests, sizes = row
    return Entry(
        key,
        os.fsdecode(relative),
        os.fsdecode(stem),
        sha256,
        size,
        bool(ours),
        state,
        Outcome.model_validate_json(outcome) if outcome else None,
        json.loads(digests),
        json.loads(sizes),
    )
