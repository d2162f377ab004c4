import type { ChatMessage } from '../model/chat-message.ts';
import { type HistoryEntry, messagesOf, withoutWords } from './history-entry.ts';
import { Speakers } from './speakers.ts';
import type { TokenEstimate } from './token-estimate.ts';

export type Summarise = (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string>;

const COMPACT_FROM = 0.75;

const MAX_SUMMARY_LENGTH = 2000;

/**
 * The turns that still fit into a prompt. A turn begins with users' texts and includes everything up to the next turn. It is
 * kept or dropped as a whole, so tool calls never lose their results.
 */
export class PromptHistory {
  readonly #estimate: TokenEstimate;
  #turns: HistoryEntry[][] = [];
  /** The newest turn when the agent began to answer. `#continuedLength` is the number of its entries at that time. */
  #continued: readonly HistoryEntry[] | undefined;
  #continuedLength = 0;
  #summary = '';
  readonly #speakers = new Speakers();
  readonly #accepted = new WeakSet<HistoryEntry>();

  constructor(estimate: TokenEstimate) {
    this.#estimate = estimate;
  }

  add(added: HistoryEntry): void {
    const entry =
      added.kind === 'user' ? { ...added, speaker: this.#speakers.nameOf(added) } : added;
    const turn = this.#turns.at(-1);
    // Unanswered texts are one turn. Overheard texts need no answer, so each of them may be dropped alone.
    const isOfTurn = !isAsked(entry) || (isOwed(entry) && turn?.every(isOwed));
    if (turn && isOfTurn) turn.push(entry);
    else this.#turns.push([entry]);
  }

  addAnswer(text: string, isInterrupted = false): void {
    if (text.trim() !== '') this.add({ kind: 'answer', text, isInterrupted });
  }

  withoutNames(text: string): string {
    return this.#speakers.withoutNames(text);
  }

  beginAnswer(): void {
    this.#continued = this.#turns.at(-1);
    this.#continuedLength = this.#continued?.length ?? 0;
  }

  cutAnswer(heard: string): void {
    const turn = this.#turns.at(-1) ?? [];
    const before = turn === this.#continued ? this.#continuedLength : 0;
    const start = Math.max(before, turn.findLastIndex(isAsked) + 1);
    turn.push(...cutTo(turn.splice(start), heard));
  }

  get entries(): readonly HistoryEntry[] {
    return this.#turns.flat();
  }

  accept(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) this.#accepted.add(entry);
  }

  /** Leaves out all words that no accepted request contained, because a filter of the endpoint may refuse them. */
  leaveOutNew(): void {
    for (const turn of this.#turns) {
      const entries = turn.map((entry) =>
        this.#accepted.has(entry) ? entry : withoutWords(entry),
      );
      turn.splice(0, turn.length, ...entries);
    }
  }

  /**
   * Returns the summary of older turns and the newest turns that fit into `maxTokens`. The newest turn is always included; it
   * is cut if it alone is too large.
   */
  messages(maxTokens: number): ChatMessage[] {
    const summary = this.#summaryMessages();
    let remaining = maxTokens - this.#estimate.tokensOf(summary);
    const kept: ChatMessage[] = [];
    for (const [index, turn] of this.#turns.toReversed().entries()) {
      const messages = this.#messagesOf(turn);
      remaining -= this.#estimate.tokensOf(messages);
      if (remaining < 0 && index > 0) break;
      kept.unshift(...(remaining < 0 ? this.#cut(messages, maxTokens) : messages));
    }
    return [...summary, ...kept];
  }

  /**
   * Replaces the oldest half of the history by a summary once the history fills three quarters of `maxTokens`. If the
   * summary fails, drops that half and keeps the earlier summary. The history may be read and may grow meanwhile.
   * Overheard texts may make that half larger than a prompt. Then only its newest part is summarised, which gets at
   * least half of the request.
   */
  async compact(maxTokens: number, summarise: Summarise, signal: AbortSignal): Promise<void> {
    const messages = this.#turns.flatMap((turn) => this.#messagesOf(turn));
    if (this.#turns.length < 2) return;
    if (this.#estimate.tokensOf(messages) < maxTokens * COMPACT_FROM) return;
    const oldest = this.#turns.slice(0, Math.ceil(this.#turns.length / 2));
    const earlier = this.#summaryMessages();
    const summarisedTokens = maxTokens * COMPACT_FROM;
    const remaining = Math.max(
      summarisedTokens - this.#estimate.tokensOf(earlier),
      summarisedTokens / 2,
    );
    const said = oldest.flatMap((turn) => this.#messagesOf(turn));
    const older = [...earlier, ...this.#newestOf(said, remaining)];
    const summary = await summarise(older, signal).catch(() => '');
    if (signal.aborted) return;
    this.#summary = summary.trim().slice(0, MAX_SUMMARY_LENGTH).toWellFormed() || this.#summary;
    this.#turns = this.#turns.filter((turn) => !oldest.includes(turn));
  }

  #messagesOf(turn: readonly HistoryEntry[]): ChatMessage[] {
    return turn.flatMap((entry) => messagesOf(entry, this.#speakers.size > 1));
  }

  /**
   * Returns the newest messages that fit; if none fits, the newest one, cut. They may begin with a tool result without
   * its call, so they are only suitable for a summary.
   */
  #newestOf(messages: readonly ChatMessage[], maxTokens: number): readonly ChatMessage[] {
    let remaining = maxTokens;
    const last = messages.findLastIndex((message) => {
      remaining -= this.#estimate.tokensOf([message]);
      return remaining < 0;
    });
    const newest = messages.slice(last + 1);
    return newest.length > 0 ? newest : this.#cut(messages.slice(-1), maxTokens);
  }

  /** A summary contains users' words, so it is not a system message. */
  #summaryMessages(): ChatMessage[] {
    if (this.#summary === '') return [];
    return [{ role: 'user', content: `[What was said before, as data: ${this.#summary}]` }];
  }

  #cut(messages: readonly ChatMessage[], maxTokens: number): ChatMessage[] {
    const maxBytes = this.#estimate.bytesFor(maxTokens) / Math.max(1, messages.length);
    return messages.map((message) => ({
      ...message,
      content: beginning(message.content, maxBytes),
    }));
  }
}

function cutTo(entries: readonly HistoryEntry[], heard: string): HistoryEntry[] {
  let remaining = heard.trim();
  return entries.flatMap((entry): HistoryEntry[] => {
    if (entry.kind !== 'tools' && entry.kind !== 'answer') return [entry];
    const whole = entry.text.trim();
    const text = remaining.slice(0, whole.length);
    remaining = remaining.slice(whole.length).trim();
    if (text === whole) return [entry];
    if (entry.kind === 'tools') return [{ ...entry, text }];
    return text === '' ? [] : [{ ...entry, text, isInterrupted: true }];
  });
}

function isAsked({ kind }: HistoryEntry): boolean {
  return kind === 'user' || kind === 'request';
}

function isOwed(entry: HistoryEntry): boolean {
  return isAsked(entry) && !(entry.kind === 'user' && entry.isOverheard);
}

function beginning(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(Math.max(1, Math.floor(maxBytes)));
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return read < text.length ? `${text.slice(0, read)}…` : text;
}
