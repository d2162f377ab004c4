import { createStore } from '@tanstack/react-store';
import { type MouseEvent, type SyntheticEvent, useCallback } from 'react';

/** The open modal dialogs, the topmost last. Everything outside of that one is inert, and lies below it. */
export const modals = createStore<readonly HTMLDialogElement[]>([]);

/**
 * Returns the properties of a `dialog` element that is modal while it is rendered. Escape, the browser's back gesture and a
 * click beside it call `onClose`.
 */
export function useModal(onClose: () => void) {
  const ref = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return undefined;
    dialog.showModal();
    modals.setState((open) => [...open, dialog]);
    // A dialog without a field would open with the focus on its close button, so it takes the focus itself.
    if (document.activeElement?.matches('[data-closes]')) dialog.focus();
    // A dialog that is removed from the page without being closed would not return the focus.
    return () => {
      modals.setState((open) => open.filter((other) => other !== dialog));
      dialog.close();
    };
  }, []);
  return {
    ref,
    tabIndex: -1,
    onCancel: (event: SyntheticEvent) => {
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      onClose();
    },
    onMouseDown: (event: MouseEvent<HTMLDialogElement>) => {
      if (event.target !== event.currentTarget || !isBeside(event)) return;
      // Otherwise the press would take the focus from the element to which the closed dialog has returned it.
      event.preventDefault();
      onClose();
    },
  };
}

function isBeside({ clientX, clientY, currentTarget }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
