// SPDX-License-Identifier: Apache-2.0
// The questions a person may have to answer: whose changes count, may a file be replaced, may changes be lost.
import type { JSX } from "preact";
import type { Autosave } from "../state/autosave";
import { useStore } from "../state/store";
import { Modal } from "./controls";

export function StaleQuestion({ onReload, onTakeOver }: { onReload(): void; onTakeOver(): void }): JSX.Element {
  return (
    <Modal title="Changed elsewhere" insist onClose={() => undefined}>
      <p>
        This form was changed in another window or by another program after this window had loaded it. Nothing has been overwritten.
        Which version do you want to go on with?
      </p>
      <footer>
        <button type="button" onClick={onTakeOver}>
          Keep mine, replace the other
        </button>
        <button type="button" class="primary" autofocus onClick={onReload}>
          Load the other
        </button>
      </footer>
    </Modal>
  );
}

interface OccupiedProps {
  readonly file: string;
  onReplace(): void;
  onAnother(): void;
  onClose(): void;
}

export function OccupiedQuestion({ file, onReplace, onAnother, onClose }: OccupiedProps): JSX.Element {
  return (
    <Modal title="There is a file of that name" onClose={onClose}>
      <p>
        <b>{file}</b> exists beside the original and was not written by this review.
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" onClick={onReplace}>
          Replace it
        </button>
        <button type="button" class="primary" autofocus onClick={onAnother}>
          Save under another name
        </button>
      </footer>
    </Modal>
  );
}

interface UnsavedProps {
  readonly autosave: Autosave;
  readonly reason: string;
  onRescue(): void;
  onLeave(): void;
  onClose(): void;
}

/** Saving is tried again while the question is open, so it may answer itself. */
export function UnsavedQuestion({ autosave, reason, onRescue, onLeave, onClose }: UnsavedProps): JSX.Element {
  const saved = useStore(autosave, (state) => state.kind === "saved");
  return (
    <Modal title="Not saved yet" onClose={onClose}>
      <p role="status">{saved ? "Now everything is saved." : `This form stays open, because its latest changes cannot be saved: ${reason}`}</p>
      <footer>
        {!saved && (
          <button type="button" onClick={onRescue}>
            Download my fields
          </button>
        )}
        <button type="button" onClick={onLeave}>
          {saved ? "Leave" : "Leave without saving"}
        </button>
        <button type="button" class="primary" autofocus onClick={onClose}>
          Stay
        </button>
      </footer>
    </Modal>
  );
}
