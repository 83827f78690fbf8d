// SPDX-License-Identifier: Apache-2.0
// The review server in memory: it knows revisions, refuses who is late, and answers when the test says so.
import { vi } from "vitest";
import type { FormInfo } from "../src/api";
import type { Field, Thresholds } from "../src/model/field";
import { Editor } from "../src/state/editor";

const HALF: Thresholds = { text: 0.5, choice: 0.5, signature: 0.5 };

export function made(id: string, score = 0.9, more: Partial<Field> = {}): Field {
  return { id, kind: "text", box: [10, 10, 90, 30], score, verdict: "auto", ...more };
}

export function editorOf(...pages: Field[][]): Editor {
  const size = { width: 400, height: 500 };
  const info = { name: "form.pdf", stage: "ready", done: 0, total: 0, message: null, fieldsFile: "form.fields.json", fillableFile: "form.fillable.pdf" };
  const fields = { revision: 1, thresholds: HALF, calibrated: HALF, detector: null, notes: [], document: {}, pages };
  return new Editor("f0", { ...info, pages: pages.map(() => size) } as FormInfo, fields);
}

/** A change of the form, as by a person. */
export function edit(editor: Editor): void {
  editor.goTo(0, ["a"]);
  editor.nudge(1, 0);
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

export class FakeServer {
  revision = 1;
  /** Files that the review has not written. */
  taken = new Set<string>();
  unreachable = false;
  readonly asked: string[] = [];
  private held: (() => void)[] | null = null;

  /** Puts the server, a window and a store of the browser in the place of the real ones. */
  start(): this {
    vi.stubGlobal("window", new EventTarget());
    vi.stubGlobal("localStorage", { getItem: () => null });
    vi.stubGlobal("fetch", (url: string, options: RequestInit = {}) => this.fetch(url, options));
    return this;
  }

  /** From now on answers wait for `release`. */
  hold(): void {
    this.held = [];
  }

  release(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const answer of held) answer();
  }

  /** The latest held answer comes before the others. */
  overtake(): void {
    this.held?.pop()?.();
  }

  count(request: string): number {
    return this.asked.filter((item) => item.startsWith(request)).length;
  }

  private async fetch(url: string, options: RequestInit): Promise<Response> {
    const request = `${options.method ?? "GET"} ${url.split("/").at(-1)}`;
    const body = options.body ? (JSON.parse(options.body as string) as Record<string, unknown>) : {};
    this.asked.push(`${request} ${JSON.stringify(body)}`);
    if (this.unreachable) throw new TypeError("refused");
    const { status, body: answer } = this.answer(request, body);
    if (this.held) await new Promise<void>((resolve) => this.held!.push(resolve));
    return new Response(JSON.stringify(answer), { status });
  }

  private answer(request: string, body: Record<string, unknown>): Answer {
    if (request === "PUT fields") {
      if (body.base !== this.revision && !body.take_over) return { status: 409, body: { detail: "stale", code: "stale" } };
      return { status: 200, body: { revision: ++this.revision } };
    }
    if (request === "GET revision") return { status: 200, body: { revision: this.revision } };
    if (request === "POST fillable") return this.fillable(body);
    return { status: 200, body: {} };
  }

  private fillable(wish: Record<string, unknown>): Answer {
    const first = "form.fillable.pdf";
    if (this.taken.has(first) && !wish.overwrite && !wish.another) return { status: 409, body: { detail: "taken", code: "occupied" } };
    if (wish.overwrite) this.taken.delete(first);
    return { status: 200, body: { file: wish.another ? "form.fillable-2.pdf" : first, written: 1, dropped: 0, notes: [] } };
  }
}

/** Everything that waits for nothing but other promises has run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
