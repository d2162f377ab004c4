import type { AgentLog } from '@session/contract';
import type { AgentLogLine } from '@session/db';

/** Gives a line as the API gives it: its time in milliseconds, as all times of the API. */
export function itemOf({ at, line }: AgentLogLine): AgentLog['items'][number] {
  return { timestamp: new Date(Math.floor(at / 1000)).toISOString(), line };
}

/** Gives the `since` after which lines come that are later than `at`, in microseconds: lines are told apart by these. */
export function sinceOf(at: number): string {
  const milliseconds = new Date(Math.floor(at / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(at % 1000).padStart(3, '0')}Z`;
}

/**
 * Gives the last microsecond, since 1970, that is not after the ISO 8601 time `since`. That of a line, which is cut to
 * milliseconds, must not give this line again: without more digits the whole millisecond counts.
 */
export function lastMicrosecondOf(since: string): number {
  const [, digits = ''] = /\.(\d+)/.exec(since) ?? [];
  const wholeSeconds = Date.parse(since.replace(/\.\d+/, ''));
  const fraction =
    digits.length > 3 ? digits.slice(0, 6).padEnd(6, '0') : `${digits.padEnd(3, '0')}999`;
  return wholeSeconds * 1000 + Number(fraction);
}
