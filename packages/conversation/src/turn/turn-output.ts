import type { AgentEvent } from '@session/contract/room';
import type { FailureReason } from '../model/model-failure.ts';
import type { Speaker } from '../prompt/speakers.ts';

export interface UserText extends Speaker {
  readonly text: string;
}

/**
 * Send an event before you take the next output: the state has changed already, and the model is told afterwards.
 * `answered` follows the last word, if there was one, with the figures of the model's answer. A notice is our own sentence,
 * not a part of the answer. `end` comes once, last.
 */
export type TurnOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'event'; readonly event: AgentEvent }
  | {
      readonly type: 'answered';
      readonly ending: AnswerEnding;
      readonly figures?: AnswerFigures;
    }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'end'; readonly record: TurnRecord };

type AnswerEnding = 'whole' | 'interrupted' | 'truncated';

/** The figures of an answer up to its last word. `firstTokenMs` counts from the beginning of the turn. */
export interface AnswerFigures {
  readonly model?: string;
  readonly fallback: boolean;
  readonly firstTokenMs?: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * How a turn ended, for one line of the log. Contains no words of the turn. `interrupted`: by its caller. `truncated`: the
 * model broke off after words, or its answer reached the largest size. `failed`: there is no answer.
 */
export interface TurnRecord {
  readonly outcome: 'complete' | 'interrupted' | 'truncated' | 'failed';
  readonly reason?: FailureReason;
  readonly detail?: string;
  readonly firstWordMs?: number;
  readonly durationMs: number;
  readonly modelCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export function* eventOutputs(events: readonly AgentEvent[]): Generator<TurnOutput> {
  for (const event of events) yield { type: 'event', event };
}
