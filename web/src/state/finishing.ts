// SPDX-License-Identifier: Apache-2.0
// The end of a form: its fillable PDF is written and, if wished, it is marked as done and the next one follows.
import { ApiError, saveFillable, setStatus, type Saved } from "../api";
import type { Doc } from "../model/field";
import type { Autosave } from "./autosave";
import type { Editor } from "./editor";
import { Store } from "./store";

/** What to do about a file that is in the way. */
export type Wish = { readonly overwrite?: boolean; readonly another?: boolean };
type Next = () => Promise<void>;

/** Its value is whether it is at work; asked again meanwhile, it does nothing. */
export class Finishing extends Store<boolean> {
  /** What follows the save; a question about the name in between does not change it. */
  private next: Next | null = null;
  /** The form as it was when it was saved under another name. */
  private elsewhere: Doc | null = null;

  constructor(
    private readonly editor: Editor,
    private readonly autosave: Autosave,
  ) {
    super(false);
  }

  save(): Promise<void> {
    return this.start({}, null);
  }

  /** Save, mark as done, go on. */
  done(next: Next): Promise<void> {
    return this.start({}, next);
  }

  /** Go on with what a taken name has interrupted. */
  answer(wish: Wish): Promise<void> {
    return this.start(wish, this.next);
  }

  private async start(wish: Wish, next: Next | null): Promise<void> {
    if (this.get()) return;
    this.set(true);
    this.next = next;
    this.editor.update({ dialog: null });
    try {
      if ((await this.write(wish)) && next) await this.goOn(next);
    } finally {
      this.set(false);
    }
  }

  private async write(wish: Wish): Promise<boolean> {
    try {
      if (!(await this.autosave.flush())) throw new Error(this.autosave.problem);
      const { doc } = this.editor;
      // Who has chosen another name for just this form is not asked for a third one.
      if (this.next && doc === this.elsewhere) return true;
      this.editor.say(sentence(await saveFillable(this.editor.key, wish)));
      this.elsewhere = wish.another ? doc : null;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === "occupied") this.editor.update({ dialog: "occupied" });
      else this.editor.say(`Not saved: ${reason(error)}`);
      return false;
    }
  }

  private async goOn(next: Next): Promise<void> {
    try {
      await setStatus(this.editor.key, "done");
      await next();
    } catch (error) {
      this.editor.say(`Saved, but not finished: ${reason(error)}`);
    }
  }
}

function sentence({ file, written, notes }: Saved): string {
  return [`Saved ${file} with ${written} ${written === 1 ? "field" : "fields"}.`, ...notes].join(" ");
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
