const KEY = 'session.demoKey';
const FRAGMENT = /^#demo=([\w-]+)$/;

/**
 * Stores the key of the local stack's demo account, which is behind the `#` of the address that `npm start` prints, and removes
 * it from the address. Returns whether the address had a key.
 */
export function takeDemoKey(storage: Storage): boolean {
  const key = FRAGMENT.exec(location.hash)?.[1];
  if (key === undefined) return false;
  storage.setItem(KEY, key);
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return true;
}

export function demoKeyIn(storage: Storage): string | null {
  return storage.getItem(KEY);
}
