import { cutText, oneLine } from '../clean-text.ts';
import type { ChatMessage, ToolCall } from '../model/chat-message.ts';

/** What happened in a conversation, as far as a model sees it. A round of tools is one entry: calls keep their results. */
export type HistoryEntry =
  | { readonly kind: 'user'; readonly text: string; readonly speaker?: string | undefined }
  /** A request of ours to the model, where no user has spoken. */
  | { readonly kind: 'request'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string; readonly isInterrupted: boolean }
  | {
      readonly kind: 'tools';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly results: readonly string[];
    };

const MAX_NAME_LENGTH = 40;

/** Returns a name as a prompt may show it: one line of at most 40 characters, without the colon that ends a name. */
export function speakerName(name: string): string {
  return cutText(oneLine(name).replaceAll(':', ' ').trim(), MAX_NAME_LENGTH);
}

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
  const name = speakerName(speaker);
  return hasNames && name !== '' ? `${name}: ${text.replaceAll(/\r?\n|\r/g, '\n  ')}` : text;
}
