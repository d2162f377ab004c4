import { onTestFinished, vi } from 'vitest';

/** Until the test ends, the time of this process passes only when the test says so. Sockets still work. */
export function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
