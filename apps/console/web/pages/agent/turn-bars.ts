import type { AgentTurns } from '@session/contract';

type Turn = AgentTurns['items'][number];

export interface TurnBar {
  readonly key: string;
  /** When the first and the last word came, from 0 to 1 of the slowest turn. Null when the agent did not measure it. */
  readonly firstWords: number | null;
  readonly duration: number | null;
}

export function turnBars(turns: readonly Turn[]): TurnBar[] {
  const longestMs = Math.max(1, ...turns.map(({ figures }) => longestOf(figures)));
  const partOf = (ms: number | undefined) => (ms === undefined ? null : ms / longestMs);
  return turns
    .map(({ messageId, figures }) => ({
      key: messageId,
      firstWords: partOf(figures.firstWordsMs),
      duration: partOf(figures.durationMs),
    }))
    .toReversed();
}

function longestOf({ durationMs = 0, firstWordsMs = 0 }: Turn['figures']): number {
  return Math.max(durationMs, firstWordsMs);
}
