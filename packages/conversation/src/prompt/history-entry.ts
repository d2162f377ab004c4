import { withoutArguments } from '../model/call-origin.ts';
import type { ChatMessage, ToolCall } from '../model/chat-message.ts';
import type { Speaker } from './speakers.ts';

/** A part of a conversation as a model sees it. A round of tools is one entry, so calls keep their results. */
export type HistoryEntry =
  | ({
      readonly kind: 'user';
      readonly text: string;
      /** Whether the text was for another agent, or for an operator. */
      readonly isOverheard?: boolean;
    } & Speaker)
  | { readonly kind: 'request'; readonly text: string }
  /** The outcome of an earlier tool call. A note begins no turn. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string; readonly isInterrupted: boolean }
  | {
      readonly kind: 'tools';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly results: readonly string[];
    };

const LEFT_OUT = '[left out: the language model refuses to read it]';

/** All characters that any reader treats as a line end, including those that editors do not show. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

export function messagesOf(entry: HistoryEntry, hasNames: boolean): ChatMessage[] {
  if (entry.kind === 'user') return [{ role: 'user', content: userLine(entry, hasNames) }];
  if (entry.kind === 'request' || entry.kind === 'note')
    return [{ role: 'user', content: entry.text }];
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

/** Returns an entry without its words, even those in the arguments of calls. The calls themselves stay. */
export function withoutWords(entry: HistoryEntry): HistoryEntry {
  if (entry.kind === 'request') return entry;
  if (entry.kind !== 'tools') return { ...entry, text: LEFT_OUT };
  const calls = entry.calls.map(withoutArguments);
  return { ...entry, text: entry.text && LEFT_OUT, calls, results: calls.map(() => LEFT_OUT) };
}

/** Indents later lines, so that no text can imitate a line of another speaker. */
function userLine(
  { text, speaker = '' }: Extract<HistoryEntry, { kind: 'user' }>,
  hasNames: boolean,
): string {
  return hasNames ? `${speaker}: ${text.replaceAll(LINE_END, '\n  ')}` : text;
}
