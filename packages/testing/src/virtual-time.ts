import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/**
 * Makes time virtual until the test ends: it stands still unless the test lets it pass with `vi.advanceTimersByTimeAsync`. It begins
 * at `now`, in milliseconds since the epoch. The turns of the event loop stay real.
 */
export function startVirtualTime(now = Date.now()): void {
  vi.useFakeTimers({ toNotFake: ['setImmediate', 'clearImmediate'], now });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Advances virtual time by `ms`, one millisecond at a time, with real turns of the event loop in between: for code that also waits
 * for such turns.
 */
export async function passTime(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 1) {
    if (passed > 0) vi.advanceTimersByTime(1);
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
  }
}
