import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/dialog.tsx';

/**
 * Returns what a form needs so that changes are not lost silently: `leave`, which asks first when there are changes, and the
 * dialog that asks. The form also asks before another page is opened or the tab is closed.
 */
export function useUnsaved(isDirty: boolean, onLeave: () => void) {
  const [isLeaving, setLeaving] = useState(false);
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const leave = () => (isDirty ? setLeaving(true) : onLeave());
  const stay = () => {
    setLeaving(false);
    blocker.reset?.();
  };
  const discard = () => {
    if (blocker.status === 'blocked') blocker.proceed();
    else onLeave();
    return Promise.resolve();
  };
  const question = (
    <ConfirmDialog
      isOpen={isLeaving || blocker.status === 'blocked'}
      onClose={stay}
      title="Leave without saving?"
      description="Your changes are not saved. They are gone when you leave."
      confirmLabel="Discard the changes"
      onConfirm={discard}
    />
  );
  return { leave, question };
}
