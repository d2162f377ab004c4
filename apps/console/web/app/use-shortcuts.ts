import { useEffect, useEffectEvent } from 'react';
import { usePageKeys } from '../service/use-page-keys.ts';

export type Overlay = 'sidebar' | 'palette' | 'keys';

/**
 * Calls `onOpen` for the shortcuts: Ctrl-K or ⌘K anywhere, and the page key `?`. Neither works while a dialog is open.
 */
export function useShortcuts(onOpen: (overlay: Overlay) => void): void {
  const openBy = (event: KeyboardEvent, overlay: Overlay) => {
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    onOpen(overlay);
  };
  usePageKeys((event) => {
    if (event.key === '?') openBy(event, 'keys');
  });
  const openPalette = useEffectEvent((event: KeyboardEvent) => {
    if (isPaletteKey(event)) openBy(event, 'palette');
  });
  useEffect(() => {
    addEventListener('keydown', openPalette);
    return () => removeEventListener('keydown', openPalette);
  }, []);
}

function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
}
