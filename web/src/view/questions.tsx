// SPDX-License-Identifier: Apache-2.0
// The two questions a person may have to answer: whose changes count, and may a file be replaced.
import type { JSX } from "preact";
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
