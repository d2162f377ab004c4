import { type Fields, isFields } from '@session/contract/room';
import type { RememberedCall } from '@session/db';
import { jsonBytes } from './json-bytes.ts';

export const MAX_EVENTS = 40;
const MAX_CALLS_BYTES = 8192;

export interface RememberedToolCall {
  readonly at: string;
  readonly tool: string;
  readonly state: string;
  readonly arguments?: unknown;
  readonly result?: string;
}

export function earlierCalls(events: readonly RememberedCall[]): RememberedToolCall[] {
  const calls: RememberedToolCall[] = [];
  const known = new Set<string>();
  let left = MAX_CALLS_BYTES;
  for (const { timestamp, report } of events) {
    if (!isFields(report)) continue;
    const { call } = report;
    const found = callOf(report, timestamp);
    if (!found || typeof call !== 'string' || known.has(call)) continue;
    known.add(call);
    left -= jsonBytes(found) + ','.length;
    if (left < 0) break;
    calls.unshift(found);
  }
  return calls;
}

function callOf(report: Fields, at: string): RememberedToolCall | undefined {
  const { tool, state, arguments: args, result } = report;
  if (typeof tool !== 'string' || typeof state !== 'string') return undefined;
  return {
    at,
    tool,
    state,
    ...(args !== undefined && { arguments: args }),
    ...(typeof result === 'string' && { result }),
  };
}
