import type { OpenHandover, TakenOver } from '@session/contract';
import type { PlanState } from '@session/contract/room';
import type { RememberedMessage } from '@session/db';
import type { RememberedToolCall } from './earlier-calls.ts';
import { fittedPlan } from './fitted-plan.ts';
import { cutToBytes, jsonBytes } from './json-bytes.ts';
import { roomIdOf } from './room-id.ts';

export const MAX_LINES = 40;
export const MAX_HISTORY_BYTES = 24_576;
export const MAX_BYTES = 100_000;

interface Line {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly identity: string | null;
  readonly name?: string;
  readonly content: string;
  readonly at: string;
  readonly interrupted?: true;
}

interface EarlierActs {
  readonly calls?: readonly RememberedToolCall[];
  readonly openHandover?: OpenHandover | undefined;
  readonly takenOver?: TakenOver | undefined;
  /** The id of the first agent in the chain of handovers that leads to this agent. */
  readonly place?: string | undefined;
}

/**
 * Returns the variable `CONVERSATION`: what was said and called before, the progress of the plan, and handovers;
 * undefined when there is none of these. `calls` are sorted from the oldest, `words` from the newest. A message in
 * `words` beyond `MAX_LINES` only shows that there are more.
 */
export function conversationVariable(
  sessionId: string,
  words: readonly RememberedMessage[],
  plan: PlanState | undefined,
  { calls = [], openHandover, takenOver, place }: EarlierActs = {},
): string | undefined {
  const isEmpty = words.length === 0 && calls.length === 0;
  if (isEmpty && !plan && !openHandover && !place) return undefined;
  const { history, isCut } = historyOf(sessionId, words);
  // An older program ignores these fields.
  const called = {
    ...(calls.length > 0 && { calls }),
    ...(openHandover && { openHandover }),
    ...(takenOver && { takenOver }),
    ...(place && { place }),
  };
  const frame = jsonBytes({ history, state: { plans: [] }, truncated: false, ...called });
  const fitted = plan && fittedPlan(plan, MAX_BYTES - frame);
  const truncated = isCut || fitted?.isCut === true;
  const plans = fitted?.plan ? [fitted.plan] : [];
  return JSON.stringify({ history, state: { plans }, truncated, ...called });
}

function historyOf(
  sessionId: string,
  words: readonly RememberedMessage[],
): { readonly history: readonly Line[]; readonly isCut: boolean } {
  const newest: Line[] = [];
  let left = MAX_HISTORY_BYTES - jsonBytes([]);
  for (const word of words.slice(0, MAX_LINES)) {
    const line = lineOf(sessionId, word);
    const size = jsonBytes(line) + ','.length;
    // The newest line is always kept, because it may be the question that waits for an answer.
    if (size > left && newest.length === 0) {
      const content = cutToBytes(line.content, left - size + jsonBytes(line.content));
      return { history: [{ ...line, content }], isCut: true };
    }
    if (size > left) break;
    newest.push(line);
    left -= size;
  }
  return { history: newest.toReversed(), isCut: newest.length < words.length };
}

function lineOf(sessionId: string, word: RememberedMessage): Line {
  const { role, identity, name, content, timestamp, isCut } = word;
  return {
    id: roomIdOf(sessionId, word),
    role,
    identity,
    ...(name && { name }),
    content,
    at: timestamp,
    ...(isCut && { interrupted: true }),
  };
}
