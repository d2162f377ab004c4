import { TURN_ATTRIBUTE, type TurnFigures } from '@session/contract/room';
import type { AnswerFigures } from '@session/conversation';

/** By the clock of `performance`: when the turn began, and when the person that it answers fell silent. */
export interface AskedTimes {
  readonly began: number;
  readonly askedAt: number | undefined;
}

/** Returns the attributes with an answer's figures, for its trailer. Times are in whole milliseconds. */
export function turnAttribute(
  figures: AnswerFigures,
  firstWordsAt: number | undefined,
  { began, askedAt }: AskedTimes,
): Readonly<Record<string, string>> {
  const turn: TurnFigures = {
    ...figures,
    ...(askedAt !== undefined && { endOfTurnMs: began - askedAt }),
    ...(firstWordsAt !== undefined && { firstWordsMs: firstWordsAt - began }),
    durationMs: performance.now() - began,
  };
  return { [TURN_ATTRIBUTE]: JSON.stringify(turn, wholeNumbers) };
}

/** Returns numbers rounded, and any other value as it is: a replacer for `JSON.stringify`. */
export function wholeNumbers(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}
