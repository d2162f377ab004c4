import { isDeepStrictEqual } from 'node:util';
import type { Message, SessionState } from '@session/contract';
import { foldState } from '@session/contract/room';

/** A moment of a history at which its state was asked for. */
export interface StateMoment {
  /** How many messages the history had. */
  readonly messages: number;
  readonly state: SessionState;
}

/** Returns a sentence for each moment at which the API's state is not the fold of the history until then. */
export function compareState(
  history: readonly Message[],
  moments: readonly StateMoment[],
): string[] {
  return moments
    .filter(({ messages, state }) => {
      return !isDeepStrictEqual(state, foldState(history.slice(0, messages)));
    })
    .map(({ messages }) => {
      const last = history[messages - 1];
      return `The state differs from the fold of the history at message ${messages}: ${last?.content ?? ''}`;
    });
}
