/** Returns how a shortcut with the computer's command key is written: `⌘+K` on a Mac, `Ctrl+K` elsewhere. */
export function commandKey(key: string): string {
  return `${/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'}+${key}`;
}
