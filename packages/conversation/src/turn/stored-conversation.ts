import { OpenHandover, SessionState, TakenOver } from '@session/contract';
import { isOperator, type PlanState } from '@session/contract/room';
import { StartError } from '@session/kit';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';
import type { HistoryEntry } from '../prompt/history-entry.ts';
import { EarlierCall, earlierCallNote } from '../tools/earlier-calls.ts';
import { takenOverNote } from './notices.ts';
import { saidOrder } from './said-order.ts';

interface StoredMessage {
  readonly id: string;
  readonly identity: string | null;
  readonly content: string;
}

export interface StoredConversation {
  readonly history: readonly HistoryEntry[];
  /** Messages that need no answer if they arrive again under the same id from the same sender. */
  readonly answered: readonly StoredMessage[];
  /** The users' last texts, if nobody has answered them; `at` is the time of the newest. */
  readonly unanswered:
    | { readonly messages: readonly StoredMessage[]; readonly at: string }
    | undefined;
  readonly plans: readonly PlanState[];
  readonly calls: readonly EarlierCall[];
  readonly openHandover?: OpenHandover | undefined;
  readonly takenOver?: TakenOver | undefined;
  /** The id of a successor's first predecessor, in whose place it answers, even after a restart. */
  readonly place?: string | undefined;
}

const Line = z.object({
  /** The room's id, even if the history has another one: see docs/message-ids.md. */
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  identity: z.string().nullable().default(null),
  name: z.string().optional(),
  content: z.string(),
  at: z.string(),
  interrupted: z.boolean().default(false),
});
type Line = z.infer<typeof Line>;

const Variable = z.object({
  history: z.array(Line),
  state: SessionState.pick({ plans: true }),
  calls: z.array(EarlierCall).default([]),
  openHandover: OpenHandover.optional(),
  takenOver: TakenOver.optional(),
  place: z.string().optional(),
});

/**
 * Reads the variable `CONVERSATION`. To answer its unanswered texts, call `ConversationCore.answer` without texts. Throws a
 * StartError that quotes nothing of the conversation.
 */
export function readConversationVariable(text: string): StoredConversation {
  const { data } = Variable.safeParse(parseJson(text));
  if (!data)
    throw new StartError('CONVERSATION is not valid. Leave it unset: the platform sets it.');
  const lines = saidOrder(data.history);
  const lastAnswer = lines.findLastIndex(isAnswer);
  const announced = announcedOnly(lines, data.calls);
  const unanswered = announced ? announced.asked : lines.slice(lastAnswer + 1);
  const last = unanswered.at(-1);
  const { openHandover, takenOver, place } = data;
  const pending = announced?.calls ?? [];
  const earlier = data.calls.filter((call) => !pending.includes(call));
  // The notes of pending calls come last, because some endpoints refuse a prompt that ends with an answer.
  const history = [...withCalls(lines, earlier), ...pending.map(noteOf)];
  if (takenOver) history.push({ kind: 'note', text: takenOverNote(takenOver.reason) });
  return {
    history,
    answered: lines.slice(0, lastAnswer + 1).map(messageOf),
    unanswered: last && { messages: unanswered.map(messageOf), at: last.at },
    plans: data.state.plans,
    calls: data.calls,
    openHandover,
    takenOver,
    place,
  };
}

/**
 * Returns the texts at the end that an agent answered only by announcing tool calls, and those calls. An agent that was
 * killed during a call leaves a partial answer, and a call without a result.
 */
function announcedOnly(
  lines: readonly Line[],
  calls: readonly EarlierCall[],
): { readonly asked: readonly Line[]; readonly calls: readonly EarlierCall[] } | undefined {
  const words = lines.at(-1);
  const before = lines.slice(0, -1);
  const asked = before.slice(before.findLastIndex(isAnswer) + 1);
  const [first] = asked;
  const isCut = words?.role === 'assistant' && words.interrupted;
  const pending = calls.filter(({ state, at }) => state === 'started' && first && at > first.at);
  return isCut && pending.length > 0 ? { asked, calls: pending } : undefined;
}

function withCalls(lines: readonly Line[], calls: readonly EarlierCall[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let next = 0;
  const addBefore = (at: string) => {
    for (let call = calls[next]; call && call.at < at; call = calls[next]) {
      entries.push(noteOf(call));
      next += 1;
    }
  };
  for (const line of lines) {
    addBefore(line.at);
    entries.push(entryOf(line));
  }
  addBefore('\uffff');
  return entries;
}

function noteOf(call: EarlierCall): HistoryEntry {
  return { kind: 'note', text: earlierCallNote(call) };
}

function isAnswer({ role, identity }: Line): boolean {
  return role === 'assistant' || (identity !== null && isOperator({ identity }));
}

function messageOf({ id, identity, content }: Line): StoredMessage {
  return { id, identity, content };
}

function entryOf({ role, name, identity, content, interrupted }: Line): HistoryEntry {
  return role === 'user'
    ? { kind: 'user', text: content, speaker: name, identity: identity ?? undefined }
    : { kind: 'answer', text: content, isInterrupted: interrupted };
}
