import { isDeepStrictEqual } from 'node:util';
import type { Message, SessionState } from '@session/contract';
import { foldState } from '@session/contract/room';

export interface StateMoment {
  readonly messages: number;
  readonly state: SessionState;
}

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
