import { useEffect, useEffectEvent } from 'react';
import { useService } from './service.ts';

function isTyping({ target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, [contenteditable], dialog, [role=menu]') !== null;
}

/**
 * Calls `onKey` for each key pressed outside of fields, dialogs and menus, without Ctrl, Alt or Meta, unless the user has
 * turned such keys off.
 */
export function usePageKeys(onKey: (event: KeyboardEvent) => void): void {
  const { singleKeys } = useService();
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (singleKeys.state === 'on' && !isTyping(event)) onKey(event);
  });
  useEffect(() => {
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, []);
}
