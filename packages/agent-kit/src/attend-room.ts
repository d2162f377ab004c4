import { aborted, pause, StartError } from '@session/kit';
import { isRefusedToken, type JoinedRoom } from '@session/media/room';
import { configurationError } from './configuration.ts';

/** The delays before each retry to join. After the last retry the agent gives up. */
export const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000] as const;
/** Each delay varies at random by up to this part of it, so that agents do not all retry at once. */
const JITTER = 0.2;
/** A connection that lasted this long gives the agent all its retries back. */
const HEALTHY_MS = 60_000;

/** LiveKit's reasons after which the agent must not join again: the room or the agent's stay was ended on purpose. */
const FINAL_REASONS = new Map([
  ['ROOM_DELETED', 'the room was deleted'],
  ['ROOM_CLOSED', 'the room was closed'],
  ['PARTICIPANT_REMOVED', 'the agent was removed from the room'],
]);

export type AttendedRoom = Pick<JoinedRoom, 'closed' | 'identity' | 'leave'>;

export interface AttendRoomOptions<Room extends AttendedRoom> {
  /** Joins the room. Throws when that fails. */
  readonly join: () => Promise<Room>;
  /** Called after each successful join. */
  readonly onJoined: (room: Room) => void;
  /** Called before the agent leaves because it was asked to stop. */
  readonly finish: () => Promise<void>;
  readonly log: (line: string) => void;
  readonly retryDelaysMs: readonly number[];
}

/**
 * Stays in the room until `stop` aborts, the room is closed, or the agent is removed from it. When the media client gives
 * its connection up, the agent joins again; a connection of a minute gives it all its retries back. Throws a StartError
 * when it cannot join (at once when its token is refused), and when another process has joined under its identity.
 */
export async function attendRoom<Room extends AttendedRoom>(
  options: AttendRoomOptions<Room>,
  stop: AbortSignal,
): Promise<void> {
  const { onJoined, finish, log, retryDelaysMs } = options;
  let delaysMs = [...retryDelaysMs];
  for (let isBack = false; ; isBack = true) {
    const room = await join(options, delaysMs, isBack, stop);
    if (!room) return;
    const joinedAt = performance.now();
    onJoined(room);
    const reason = await Promise.race([room.closed, aborted(stop)]);
    if (reason === undefined) await finish();
    await room.leave();
    if (reason === undefined) return;
    const end = FINAL_REASONS.get(reason);
    if (end) return log(`leaves: ${end}`);
    if (reason === 'DUPLICATE_IDENTITY') {
      throw new StartError('Another process has joined the room under the same identity.');
    }
    log(`lost the connection: ${reason}`);
    if (performance.now() - joinedAt > HEALTHY_MS) delaysMs = [...retryDelaysMs];
  }
}

/** Returns the joined room, or undefined when `stop` aborts. Removes the delays of its retries from `delaysMs`. */
async function join<Room extends AttendedRoom>(
  options: AttendRoomOptions<Room>,
  delaysMs: number[],
  isBack: boolean,
  stop: AbortSignal,
): Promise<Room | undefined> {
  for (;;) {
    if (stop.aborted) return undefined;
    try {
      return await options.join();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isRefusedToken(error)) throw refusedToken(reason, isBack);
      const delayMs = delaysMs.shift();
      if (delayMs === undefined) throw new StartError(`The room cannot be joined: ${reason}`);
      options.log(`${reason}; retries in ${delayMs / 1000} s`);
      await pause(delayMs * (1 + JITTER * (2 * Math.random() - 1)), stop);
    }
  }
}

function refusedToken(reason: string, isBack: boolean): StartError {
  // An agent that is started again gets another token.
  if (isBack) {
    return new StartError(
      `The media server refuses the token, which has probably expired. (${reason})`,
    );
  }
  const remedy = 'Check MEDIA_API_KEY and MEDIA_API_SECRET, or MEDIA_TOKEN.';
  return configurationError(`The media server refuses the token. ${remedy} (${reason})`);
}
