// SPDX-License-Identifier: Apache-2.0
// All shortcuts, from the very table that handles them.
import type { JSX } from "preact";
import { SHORTCUTS, type Shortcut } from "../input/keys";
import { setSetting, settings } from "../state/settings";
import { useStore } from "../state/store";
import { Modal } from "./controls";

const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Delete: "Del", Escape: "Esc", PageDown: "Page down", PageUp: "Page up" };

/** Shortcuts that do the same, such as the four arrows, share a line. */
function lines(shortcuts: readonly Shortcut[]): [does: string, keys: string[]][] {
  const found = new Map<string, string[]>();
  for (const shortcut of shortcuts) {
    found.set(shortcut.does, [...(found.get(shortcut.does) ?? []), ...shortcut.keys.slice(0, 1)]);
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
              {lines(group.shortcuts).map(([does, keys]) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <span class="combination" key={key}>
                        <Keys name={key} />
                      </span>
                    ))}
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
        Shortcuts of a single letter
      </label>
      <label class="row">
        <input type="checkbox" checked={snapping} onChange={() => setSetting({ snapping: !snapping })} />
        Snap to lines and neighbours
      </label>
    </Modal>
  );
}
