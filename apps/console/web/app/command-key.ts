export function commandKey(key: string): string {
  return `${/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'}+${key}`;
}
