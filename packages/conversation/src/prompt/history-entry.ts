import type { ChatMessage, ToolCall } from '../model/chat-message.ts';
import type { Speaker } from './speakers.ts';

/** What happened in a conversation, as far as a model sees it. A round of tools is one entry: calls keep their results. */
export type HistoryEntry =
  | ({ readonly kind: 'user'; readonly text: string } & Speaker)
  /** A request of ours to the model, where no user has spoken. */
  | { readonly kind: 'request'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string; readonly isInterrupted: boolean }
  | {
      readonly kind: 'tools';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly results: readonly string[];
    };

/** What ends a line for some reader: also what no editor shows as an end. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Returns the messages of an entry. `hasNames` says who spoke: it is set as soon as two people have. */
export function messagesOf(entry: HistoryEntry, hasNames: boolean): ChatMessage[] {
  if (entry.kind === 'user') return [{ role: 'user', content: userLine(entry, hasNames) }];
  if (entry.kind === 'request') return [{ role: 'user', content: entry.text }];
  if (entry.kind === 'answer') {
    const content = entry.isInterrupted ? `${entry.text} …` : entry.text;
    return [{ role: 'assistant', content }];
  }
  const { text, calls, results } = entry;
  return [
    { role: 'assistant', content: text, toolCalls: calls },
    ...calls.map(({ id }, index) => ({
      role: 'tool' as const,
      toolCallId: id,
      content: results[index] ?? '',
    })),
  ];
}

/** Later lines are indented, so that no text can contain a line of another speaker. */
function userLine(
  { text, speaker = '' }: Extract<HistoryEntry, { kind: 'user' }>,
  hasNames: boolean,
): string {
  return hasNames ? `${speaker}: ${text.replaceAll(LINE_END, '\n  ')}` : text;
}
