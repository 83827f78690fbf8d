// SPDX-License-Identifier: Apache-2.0
// All shortcuts, from the very table that handles them.
import type { JSX } from "preact";
import { SHORTCUTS, type Shortcut } from "../input/keys";
import { setSetting, settings } from "../state/settings";
import { useStore } from "../state/store";
import { Modal } from "./controls";

const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", arrows: "← → ↑ ↓", Delete: "Del", Escape: "Esc", PageDown: "Page down", PageUp: "Page up" };

/** What each shortcut does and its first key; the four arrows that do the same share a line. */
function lines(shortcuts: readonly Shortcut[]): [does: string, key: string][] {
  const found = new Map<string, string>();
  for (const { does, keys } of shortcuts) {
    const key = keys[0] ?? "";
    found.set(does, found.has(does) ? key.replace(/Arrow\w+$/, "arrows") : key);
  }
  return [...found];
}

function Keys({ name }: { name: string }): JSX.Element {
  const parts = name === "+" ? ["+"] : name.split("+");
  return (
    <>
      {parts.map((part) => (
        <kbd key={part}>{NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part)}</kbd>
      ))}
    </>
  );
}

export function Help({ onClose }: { onClose(): void }): JSX.Element {
  const { singleKeys, snapping } = useStore(settings, (state) => state);
  return (
    <Modal title="Help" class="help" onClose={onClose}>
      <p>
        Solid green boxes are sure, dashed amber ones likely, dotted red ones doubtful; blue ones you have checked. Whatever you touch
        stays in the form. Hold <kbd>Shift</kbd> to select several or to draw more than one, <kbd>Alt</kbd> to move without snapping. A click with a
        drawing tool fills the box or line under it.
      </p>
      <div class="shortcut-groups">
        {SHORTCUTS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {lines(group.shortcuts).map(([does, key]) => (
                <div key={does}>
                  <dt>
                    <Keys name={key} />
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="row">
        <input type="checkbox" checked={singleKeys} onChange={() => setSetting({ singleKeys: !singleKeys })} />
        Shortcuts of a single letter, also with Shift
      </label>
      <label class="row">
        <input type="checkbox" checked={snapping} onChange={() => setSetting({ snapping: !snapping })} />
        Snap to lines and neighbours
      </label>
    </Modal>
  );
}
