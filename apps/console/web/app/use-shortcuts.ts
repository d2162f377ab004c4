import { useEffect } from 'react';
import { useService } from '../service/service.ts';

export type Overlay = 'sidebar' | 'palette' | 'keys';

/**
 * Opens what the console's shortcuts open: Ctrl-K or ⌘K anywhere, and `?` outside of fields unless the user has turned off
 * keys without Ctrl.
 */
export function useShortcuts(onOpen: (overlay: Overlay) => void): void {
  const { singleKeys } = useService();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const overlay = overlayOf(event, singleKeys.state === 'on');
      if (!overlay || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      onOpen(overlay);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onOpen, singleKeys]);
}

function overlayOf(event: KeyboardEvent, areSingleKeysOn: boolean): Overlay | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey) return 'palette';
  if (areSingleKeysOn && key === '?' && !ctrlKey && !metaKey && !isInField(event.target))
    return 'keys';
  return null;
}

function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select') !== null)
  );
}
