import type { AgentEvent } from '@session/contract/room';
import type { FailureReason } from '../model/model-failure.ts';
import type { Speaker } from '../prompt/speakers.ts';

/** What a user said: one message of the room. */
export interface UserText extends Speaker {
  readonly text: string;
}

/**
 * What a turn brings, in order. Send an event before you take the next output: the state has changed already, and
 * the model learns of it afterwards. `answered` comes right after the last word, if there was one. A notice is a sentence of
 * ours, no part of the answer. `end` comes once, at last.
 */
export type TurnOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'event'; readonly event: AgentEvent }
  | { readonly type: 'answered'; readonly ending: AnswerEnding }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'end'; readonly record: TurnRecord };

/** How the words of an answer ended. `truncated`: the model broke off, or the answer reached a limit of its length. */
export type AnswerEnding = 'whole' | 'interrupted' | 'truncated';

/**
 * How a turn ended, without a word of it, for one line of the log. `interrupted`: by its caller. `truncated`: the model broke
 * off after words, or its answer reached the largest size. `failed`: there is no answer.
 */
export interface TurnRecord {
  readonly outcome: 'complete' | 'interrupted' | 'truncated' | 'failed';
  readonly reason?: FailureReason;
  /** What failed, in our own words: it holds neither the key nor a provider's message. */
  readonly detail?: string;
  /** From the beginning of the turn, in milliseconds; missing when there was no word. */
  readonly firstWordMs?: number;
  readonly durationMs: number;
  readonly modelCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Yields events as outputs of a turn. */
export function* eventOutputs(events: readonly AgentEvent[]): Generator<TurnOutput> {
  for (const event of events) yield { type: 'event', event };
}
