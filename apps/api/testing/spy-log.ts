import { vi } from 'vitest';

/** Returns a log that notes its calls, and writes nothing. */
export function spyLog() {
  return { info: vi.fn<() => void>(), warn: vi.fn<() => void>(), error: vi.fn<() => void>() };
}
