import { useCallback, useSyncExternalStore } from 'react';

const INTERVALS_MS = { second: 1000, 'half-minute': 30_000 } as const;

/** Returns the time now, rounded down to the second or the half minute. All components update at the same moment. */
export function useNow(unit: keyof typeof INTERVALS_MS = 'half-minute'): number {
  const intervalMs = INTERVALS_MS[unit];
  const subscribe = useCallback(
    (onTick: () => void) => {
      let timer: ReturnType<typeof setTimeout>;
      const wait = () => {
        timer = setTimeout(tick, intervalMs - (Date.now() % intervalMs));
      };
      const tick = () => {
        onTick();
        wait();
      };
      wait();
      return () => clearTimeout(timer);
    },
    [intervalMs],
  );
  return useSyncExternalStore(subscribe, () => Date.now() - (Date.now() % intervalMs));
}
