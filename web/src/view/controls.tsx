// SPDX-License-Identifier: Apache-2.0
// Buttons and dialogs that all views share.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icons";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly class?: string;
  onClick(): void;
}

export function IconButton({ icon, label, keys, pressed, disabled, class: extra, onClick }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${extra ?? ""}`}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      aria-pressed={pressed}
      disabled={disabled ?? false}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ModalProps {
  readonly title: string;
  readonly class?: string;
  /** Some questions must be answered; then Escape does nothing. */
  readonly insist?: boolean;
  readonly children: ComponentChildren;
  onClose(): void;
}

export function Modal({ title, class: extra, insist, children, onClose }: ModalProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (event: Event): void => {
    event.preventDefault();
    if (!insist) onClose();
  };
  return (
    <dialog ref={dialog} class={`modal ${extra ?? ""}`} aria-label={title} onCancel={close}>
      <header>
        <h2>{title}</h2>
        {!insist && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
