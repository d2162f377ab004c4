import { pause } from '@session/kit';
import type { EndingReason } from '../process/end-reasons.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RoomConnection } from '../room/room-connection.ts';
import type { RoomLink } from '../room/room-link.ts';
import { CLOCK_SKEW_MS } from '../timing.ts';

const QUIET_CHECK_MS = 10;

/**
 * The recording ends when the room was quiet for `quietMs` and no text stream is open, after `maxWaitMs`, or when `cutShort`
 * aborts. Streams that began after `coveredSince` are left to the other recorder.
 */
export interface Ending {
  readonly reason: EndingReason;
  readonly coveredSince?: number | undefined;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly cutShort: AbortSignal;
}

interface Connection extends Pick<RoomConnection, 'state'> {
  readonly links: readonly Pick<RoomLink, 'hasOpenTextStreams' | 'lastEventAt'>[];
}

/** Waits for the end. Returns whether it cuts text streams whose beginning the other recorder has not received. */
export async function untilMayEnd(
  connection: Connection,
  ending: Ending,
  clock: Clock,
): Promise<boolean> {
  const { maxWaitMs, cutShort, coveredSince } = ending;
  const began = clock.now();
  const deadline = performance.now() + maxWaitMs;
  while (!isQuiet(connection, ending, clock, began) && performance.now() < deadline) {
    if (!(await pause(QUIET_CHECK_MS, cutShort))) break;
  }
  return coveredSince !== undefined && hasOpenTexts(connection, coveredSince);
}

function isQuiet(
  connection: Connection,
  { quietMs, coveredSince }: Ending,
  clock: Clock,
  began: number,
): boolean {
  if (connection.state !== 'recording') return true;
  const quietSince = Math.max(began, ...connection.links.map(({ lastEventAt }) => lastEventAt));
  return !hasOpenTexts(connection, coveredSince) && clock.now() - quietSince >= quietMs;
}

function hasOpenTexts({ links }: Connection, coveredSince = Number.POSITIVE_INFINITY): boolean {
  return links.some((link) => link.hasOpenTextStreams(coveredSince + CLOCK_SKEW_MS));
}
