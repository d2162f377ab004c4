import { userOf } from '@session/client/admin';
import { useBlocker } from '@tanstack/react-router';
import { useSelector } from '@tanstack/react-store';
import { useEffect, useState } from 'react';
import { useService } from '../../service/service.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';

/**
 * Returns what a form needs so that changes are not lost silently: `leave`, which asks first when there are changes, and the
 * dialog that asks. The form also asks before another page is opened or the tab is closed. The form stays when the sign-in ends. It
 * closes without a question when another user signs in, so that this user cannot save it.
 */
export function useUnsaved(isDirty: boolean, onLeave: () => void) {
  const [isLeaving, setLeaving] = useState(false);
  const { signIn, unsaved } = useService();
  useEffect(() => {
    unsaved.setState(() => isDirty);
    return () => unsaved.setState(() => false);
  }, [unsaved, isDirty]);
  const [user] = useState(() => userOf(signIn.token()));
  const isForeign = useSelector(signIn.changes, () => {
    const token = signIn.token();
    return token !== null && userOf(token) !== user;
  });
  useEffect(() => {
    if (isForeign) onLeave();
  }, [isForeign, onLeave]);
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
