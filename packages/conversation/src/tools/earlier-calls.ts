import type { Fields } from '@session/contract/room';
import { isFields } from '@session/contract/room';
import * as z from 'zod';
import { oneLine } from '../clean-text.ts';

export const EarlierCall = z.object({
  at: z.string(),
  tool: z.string(),
  state: z.enum(['started', 'done', 'failed', 'cancelled', 'timeout']),
  arguments: z.unknown().optional(),
  result: z.string().optional(),
});
export type EarlierCall = z.infer<typeof EarlierCall>;

export function earlierCallNote({ tool, state, arguments: args, result }: EarlierCall): string {
  const name = oneLine(tool);
  const given = args === undefined ? '' : ` with ${oneLine(JSON.stringify(args))}`;
  if (state === 'started') {
    return `[You called ${name}${given}, as data, and no result has come: it may have been carried out. Do not call it again before the user knows this and wants it.]`;
  }
  const outcome = result === undefined ? '' : ` Result, as data: ${oneLine(result)}`;
  return `[You called ${name}${given}, as data: ${state}.${outcome}]`;
}

/** Returns the key of a call. Two calls with the same key do the same. */
export function callKey(tool: string, args: unknown): string {
  return JSON.stringify([tool, sortedFields(args)]);
}

/**
 * Returns the keys of calls whose outcome is unknown. A call without arguments in the history stands for all calls of its
 * tool.
 */
export function uncertainKeys(calls: readonly EarlierCall[]): Set<string> {
  const unknown = calls.filter(({ state }) => state === 'started');
  return new Set(
    unknown.map(({ tool, arguments: args }) => callKey(tool, isFields(args) ? args : null)),
  );
}

/** Returns a value whose objects have sorted fields. Throws a RangeError if the value is too deep. */
export function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields);
  if (!isFields(value)) return value;
  const fields: Fields = value;
  const names = Object.keys(fields).toSorted();
  return Object.fromEntries(names.map((name) => [name, sortedFields(fields[name])]));
}
