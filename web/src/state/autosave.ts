// SPDX-License-Identifier: Apache-2.0
// Every change is on the disk a moment after it was made.
import { ApiError, getRevision, putFields, type Change } from "../api";
import type { Doc } from "../model/field";
import type { Editor } from "./editor";
import { Store } from "./store";

export type SaveState =
  | { readonly kind: "saved" }
  | { readonly kind: "saving" }
  | { readonly kind: "waiting" }
  | { readonly kind: "stale" }
  | { readonly kind: "lost"; readonly message: string };

const PAUSE_MS = 250;
const RETRY_MS = 1500;

/** The pages that differ; whole documents when taking over. */
export function changedPages(before: Doc | null, after: Doc): Change["pages"] {
  const changed = after.pages.flatMap((fields, page) => (before?.pages[page] === fields ? [] : [[page, fields] as const]));
  return Object.fromEntries(changed);
}

export class Autosave extends Store<SaveState> {
  private saved: Doc;
  private revision: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private running: Promise<boolean> | null = null;
  private readonly stops: (() => void)[];

  constructor(private readonly editor: Editor) {
    super({ kind: "saved" });
    this.saved = editor.doc;
    this.revision = editor.fields.revision;
    this.stops = [editor.subscribe(() => this.changed()), on(window, "beforeunload", (event) => this.leaving(event as BeforeUnloadEvent)), on(window, "focus", () => void this.lookAround())];
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const stop of this.stops) stop();
  }

  get dirty(): boolean {
    return this.editor.doc !== this.saved;
  }

  /** Why not everything is on the disk. */
  get problem(): string {
    const state = this.get();
    if (state.kind === "lost") return state.message;
    return state.kind === "stale" ? "The form was changed elsewhere." : "The latest changes are not saved yet.";
  }

  private changed(): void {
    if (!this.dirty || this.get().kind === "stale") return;
    if (this.get().kind === "saved") this.set({ kind: "waiting" });
    this.later(PAUSE_MS);
  }

  private later(pause: number): void {
    clearTimeout(this.timer);
    // Trying again behind a window that has given up would be somebody else's change to the next one.
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.flush(), pause);
  }

  /** Save now, and what is changed meanwhile; resolves to whether everything is on the disk. */
  async flush(): Promise<boolean> {
    // What is on its way may have been undone meanwhile, so it counts even if nothing seems changed.
    while (this.running || this.dirty) {
      clearTimeout(this.timer);
      if (!(await this.inTurn(false))) return false;
    }
    return true;
  }

  /** Overwrite what somebody else saved with what is in this window. */
  async takeOver(): Promise<void> {
    await this.inTurn(true);
  }

  /** Saves go one after the other, because each starts from the revision that the one before has made. */
  private async inTurn(takeOver: boolean): Promise<boolean> {
    // Several may wait for the same save; nothing is awaited between the last look and taking the turn.
    while (this.running) await this.running;
    if (!takeOver && !this.dirty) return true;
    if (!takeOver && this.get().kind === "stale") {
      // Another dialog may have taken the place of the question.
      this.stale();
      return false;
    }
    this.running = this.save(takeOver).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Whether it went well. */
  private async save(takeOver: boolean): Promise<boolean> {
    const doc = this.editor.doc;
    this.set({ kind: "saving" });
    const pages = changedPages(takeOver ? null : this.saved, doc);
    const change = { base: this.revision, pages, thresholds: doc.thresholds, take_over: takeOver };
    try {
      this.revision = await putFields(this.editor.key, change);
      this.saved = doc;
      this.set({ kind: this.dirty ? "waiting" : "saved" });
      if (this.editor.get().status === "done") this.editor.update({ status: "review" });
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  private failed(error: unknown): void {
    if (error instanceof ApiError && error.code === "stale") {
      this.stale();
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    this.set({ kind: "lost", message });
    // A full disk may have room again; what is not understood or not allowed stays so.
    if (!(error instanceof ApiError) || error.status === 422) this.later(RETRY_MS);
  }

  private stale(): void {
    this.set({ kind: "stale" });
    this.editor.update({ dialog: "stale" });
  }

  /** A window that comes to the front looks whether another one has changed the form meanwhile. */
  async lookAround(): Promise<void> {
    if (this.running || this.get().kind !== "saved") return;
    const known = this.revision;
    try {
      const revision = await getRevision(this.editor.key);
      // If this window has saved since it asked, the answer is about the time before.
      const current = this.revision === known && !this.running && this.get().kind === "saved";
      if (current && revision !== known) this.stale();
    } catch {
      // Saving will tell.
    }
  }

  private leaving(event: BeforeUnloadEvent): void {
    if (!this.dirty) return;
    void this.flush();
    event.preventDefault();
  }
}

function on(target: Window, name: string, listener: (event: Event) => void): () => void {
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}
