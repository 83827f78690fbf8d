// SPDX-License-Identifier: Apache-2.0
// Which form the address names, and who is asked before that form is left.
import { Store } from "./store";

/** The key of a form; none is the work list. */
export type Place = string | null;
export type MayLeave = (to: Place) => Promise<boolean>;

const inAddress = (): Place => /^#form=([0-9a-f]+)$/.exec(location.hash)?.[1] ?? null;

function write(place: Place): void {
  location.hash = place ? `form=${place}` : "";
}

export class Route extends Store<Place> {
  private mayLeave: MayLeave | null = null;
  private asking = false;

  constructor() {
    super(inAddress());
  }

  /** Goes where the address says, until the returned function is called. */
  listen(): () => void {
    const listener = (): void => void this.follow();
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
  }

  /** Have somebody asked before the place is left, until the returned function is called. */
  guard(mayLeave: MayLeave): () => void {
    this.mayLeave = mayLeave;
    return () => {
      if (this.mayLeave === mayLeave) this.mayLeave = null;
    };
  }

  async open(place: Place): Promise<void> {
    if (await this.allowed(place)) this.goTo(place);
  }

  /** Open without asking. */
  goTo(place: Place): void {
    this.set(place);
    write(place);
  }

  /**
   * Back and Forward change the address without asking, and browsers ask nobody as long as the page is the same. So
   * the old view stays until it may be left, and if it may not, the address goes back to it.
   */
  private async follow(): Promise<void> {
    if (this.asking || inAddress() === this.get()) return;
    this.asking = true;
    const allowed = await this.allowed(inAddress());
    this.asking = false;
    // The person may have gone on while somebody was asked, so the address is read again.
    if (allowed) this.set(inAddress());
    else if (inAddress() !== this.get()) write(this.get());
  }

  private async allowed(to: Place): Promise<boolean> {
    return this.mayLeave === null || this.mayLeave(to);
  }
}
