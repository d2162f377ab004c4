import type { AgentLog } from '@session/contract';
import type { AgentLogLine } from '@session/db';

export function itemOf({ at, line }: AgentLogLine): AgentLog['items'][number] {
  return { timestamp: new Date(Math.floor(at / 1000)).toISOString(), line };
}

/** Returns the `since` for lines later than `at` (microseconds). It has six digits, because lines may differ only in these. */
export function sinceOf(at: number): string {
  const milliseconds = new Date(Math.floor(at / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(at % 1000).padStart(3, '0')}Z`;
}

/**
 * Returns the last microsecond that is not after `since`. With at most three digits, `since` may be a line's timestamp. It
 * then stands for the whole millisecond, so that the line is not returned again.
 */
export function lastMicrosecondOf(since: string): number {
  const [, digits = ''] = /\.(\d+)/.exec(since) ?? [];
  const wholeSeconds = Date.parse(since.replace(/\.\d+/, ''));
  const fraction =
    digits.length > 3 ? digits.slice(0, 6).padEnd(6, '0') : `${digits.padEnd(3, '0')}999`;
  return wholeSeconds * 1000 + Number(fraction);
}
