import { SessionState } from '@session/contract';
import type { PlanState } from '@session/contract/room';
import { StartError } from '@session/kit';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';
import type { HistoryEntry } from '../prompt/history-entry.ts';
import { saidOrder } from './said-order.ts';

/** A message as the room knows it. Two senders may use one id. */
interface StoredMessage {
  readonly id: string;
  /** The sender's identity; null when it is unknown, and the content decides. */
  readonly identity: string | null;
  readonly content: string;
}

/** What was said before an agent started, and the state of its plans then. */
export interface StoredConversation {
  readonly history: readonly HistoryEntry[];
  /** The messages that need no answer any more, when they arrive again: the same id of the same sender. */
  readonly answered: readonly StoredMessage[];
  /** The texts of users at the end that nobody has answered, and when the last of them was said. */
  readonly unanswered:
    | { readonly messages: readonly StoredMessage[]; readonly at: string }
    | undefined;
  readonly plans: readonly PlanState[];
}

const Line = z.object({
  /** The id that the room knows, also when the history has another one: see docs/message-ids.md. */
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
});

/**
 * Reads the variable `CONVERSATION`: what was said, and the folded state. An answer to texts that nobody has answered is
 * `ConversationCore.answer` with no further texts. Throws a StartError, which holds no word of it, when it is not valid.
 */
export function readConversationVariable(text: string): StoredConversation {
  const { data } = Variable.safeParse(parseJson(text));
  if (!data) throw new StartError('CONVERSATION is not valid: the platform sets it.');
  const lines = saidOrder(data.history);
  const lastAnswer = lines.findLastIndex(({ role }) => role === 'assistant');
  const unanswered = lines.slice(lastAnswer + 1);
  const last = unanswered.at(-1);
  return {
    history: lines.map(entryOf),
    answered: lines.slice(0, lastAnswer + 1).map(messageOf),
    unanswered: last && { messages: unanswered.map(messageOf), at: last.at },
    plans: data.state.plans,
  };
}

function messageOf({ id, identity, content }: Line): StoredMessage {
  return { id, identity, content };
}

function entryOf({ role, name, identity, content, interrupted }: Line): HistoryEntry {
  return role === 'user'
    ? { kind: 'user', text: content, speaker: name, identity: identity ?? undefined }
    : { kind: 'answer', text: content, isInterrupted: interrupted };
}
