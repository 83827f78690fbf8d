// SPDX-License-Identifier: Apache-2.0
// The files of a folder with what has become of them.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getForms, type FormStatus, type Session, type WorkItem } from "../api";
import { ThemeButton } from "./toolbar";

const STATUS_NAMES: Record<FormStatus, string> = { new: "New", review: "In review", done: "Done", failed: "Failed" };
const STATUSES = Object.keys(STATUS_NAMES) as FormStatus[];

export const isOpen = (item: WorkItem): boolean => item.status === "new" || item.status === "review";

/** The file to go on with: the first open one after a given file, else the first open one. */
export function nextOpen(items: readonly WorkItem[], after: string | null): WorkItem | undefined {
  const here = items.findIndex((item) => item.key === after);
  return items.slice(here + 1).find(isOpen) ?? items.find((item) => isOpen(item) && item.key !== after);
}

export function WorkList({ session, onOpen }: { session: Session; onOpen(key: string): void }): JSX.Element {
  const [items, setItems] = useState<readonly WorkItem[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [filter, setFilter] = useState<FormStatus | "all">("all");
  const [search, setSearch] = useState("");
  useEffect(() => {
    const load = (): void => void getForms().then(setItems, (error: Error) => setProblem(error.message));
    load();
    window.addEventListener("focus", load);
    return () => window.removeEventListener("focus", load);
  }, []);
  const all = items ?? [];
  const count = (status: FormStatus): number => all.filter((item) => item.status === status).length;
  const words = search.toLowerCase();
  const shown = all.filter((item) => (filter === "all" || item.status === filter) && item.name.toLowerCase().includes(words));
  const next = nextOpen(all, null);
  return (
    <div class="work">
      <header class="toolbar">
        <div class="where">
          <h1>Work list</h1>
          <span class="muted path" title={session.path}>{session.path.split(/[\\/]/).at(-1)}</span>
        </div>
        <div class="finish">
          <ThemeButton />
          <button type="button" class="primary" disabled={!next} onClick={() => next && onOpen(next.key)}>
            {next ? "Open next file" : "Everything is done"}
          </button>
        </div>
      </header>
      <main>
        <div class="filters">
          <div class="segments" role="group" aria-label="Show">
            <button type="button" aria-pressed={filter === "all"} onClick={() => setFilter("all")}>
              All <b>{all.length}</b>
            </button>
            {STATUSES.map((status) => (
              <button key={status} type="button" aria-pressed={filter === status} onClick={() => setFilter(status)}>
                {STATUS_NAMES[status]} <b>{count(status)}</b>
              </button>
            ))}
          </div>
          <input type="search" aria-label="Search by name" placeholder="Search by name" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </div>
        <progress value={count("done")} max={Math.max(1, all.length)} aria-label="Files done" />
        {problem && <p class="note">{problem}</p>}
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">State</th>
              <th scope="col" class="number-cell">Pages</th>
              <th scope="col" class="number-cell">Fields</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => (
              <WorkRow key={item.key} item={item} />
            ))}
          </tbody>
        </table>
        {items && shown.length === 0 && <p class="muted">No file matches.</p>}
      </main>
    </div>
  );
}

function WorkRow({ item }: { item: WorkItem }): JSX.Element {
  return (
    <tr>
      <td>
        <a href={`#form=${item.key}`}>{item.name}</a>
        {item.message && <span class="muted"> {item.message}</span>}
      </td>
      <td>
        <span class={`state ${item.status}`}>{STATUS_NAMES[item.status]}</span>
      </td>
      <td class="number-cell">{item.pages || ""}</td>
      <td class="number-cell">{item.pages ? item.fields : ""}</td>
      <td class="muted">{item.changed ? `${new Date(`${item.changed.replace(" ", "T")}Z`).toLocaleString()}` : ""}</td>
    </tr>
  );
}
