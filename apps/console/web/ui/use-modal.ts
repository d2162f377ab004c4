import { type MouseEvent, type SyntheticEvent, useCallback } from 'react';

/**
 * Returns the properties of a `dialog` element that is modal for as long as it is rendered. Escape, the browser's back gesture
 * and a click beside it call `onClose`.
 */
export function useModal(onClose: () => void) {
  const ref = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return undefined;
    dialog.showModal();
    // A dialog that is taken out of the page without being closed would not give the focus back.
    return () => dialog.close();
  }, []);
  return {
    ref,
    onCancel: (event: SyntheticEvent) => {
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      onClose();
    },
    onMouseDown: (event: MouseEvent<HTMLDialogElement>) => {
      if (event.target === event.currentTarget && isBeside(event)) onClose();
    },
  };
}

function isBeside({ clientX, clientY, currentTarget }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
