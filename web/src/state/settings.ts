// SPDX-License-Identifier: Apache-2.0
// What a person likes, kept in the browser.
import { Store } from "./store";

export interface Settings {
  readonly theme: "auto" | "light" | "dark";
  /** Shortcuts of a single letter, figure or sign, also with Shift, can be in the way of speech input (WCAG 2.1.4), so they can be turned off. */
  readonly singleKeys: boolean;
  readonly snapping: boolean;
  readonly numbers: boolean;
}

const STORED = "acromeld-review-settings";
const DEFAULTS: Settings = { theme: "auto", singleKeys: true, snapping: true, numbers: true };

function load(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
}

export const settings = new Store<Settings>(load());

export function setSetting(change: Partial<Settings>): void {
  settings.set({ ...settings.get(), ...change });
}

function apply(): void {
  const { theme } = settings.get();
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function startSettings(): void {
  apply();
  settings.subscribe(() => {
    localStorage.setItem(STORED, JSON.stringify(settings.get()));
    apply();
  });
}
