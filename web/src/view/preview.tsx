// SPDX-License-Identifier: Apache-2.0
// The finished form in pdf.js, to be tried out before it is saved. What is typed here goes nowhere.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getPreview } from "../api";
import { Modal } from "./controls";

export function Preview({ formKey, flush, onClose }: { formKey: string; flush(): Promise<boolean>; onClose(): void }): JSX.Element {
  const room = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<{ message: string | null; notes: readonly string[] }>({ message: "Making the form…", notes: [] });
  useEffect(() => {
    let close = (): void => undefined;
    let gone = false;
    const show = async (): Promise<void> => {
      if (!(await flush())) throw new Error("The latest changes are not saved yet.");
      const [{ data, notes }, { showPdf }] = await Promise.all([getPreview(formKey), import("./form-viewer")]);
      if (gone || !room.current) return;
      close = await showPdf(room.current, data);
      if (gone) close();
      setState({ message: null, notes });
    };
    show().catch((error: Error) => !gone && setState({ message: error.message, notes: [] }));
    return () => {
      gone = true;
      close();
    };
  }, []);
  return (
    <Modal title="Preview: try to fill it in" class="preview" onClose={onClose}>
      <p class="muted">This is the finished form in an independent viewer. What you type here is not saved.</p>
      {state.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {state.message && <p role="status">{state.message}</p>}
      <div class="viewer-room">
        <div class="viewer-container" ref={room} tabIndex={0} role="region" aria-label="The finished form">
          <div class="pdfViewer" />
        </div>
      </div>
    </Modal>
  );
}
