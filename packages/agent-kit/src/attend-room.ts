import { aborted, pause, StartError } from '@session/kit';
import { isRefusedToken, type JoinedRoom } from '@session/media/room';
import { configurationError } from './configuration.ts';

export const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000] as const;
const JITTER = 0.2;
const HEALTHY_MS = 60_000;

/** LiveKit's reasons after which the agent must not rejoin, because someone ended the room or the agent's stay on purpose. */
const FINAL_REASONS = new Map([
  ['ROOM_DELETED', 'room deleted'],
  ['ROOM_CLOSED', 'room closed'],
  ['PARTICIPANT_REMOVED', 'agent removed from room'],
]);

export type AttendedRoom = Pick<JoinedRoom, 'closed' | 'identity' | 'leave'>;

export interface AttendRoomOptions<Room extends AttendedRoom> {
  readonly join: () => Promise<Room>;
  readonly onJoined: (room: Room) => void;
  readonly finish: () => Promise<void>;
  readonly log: (line: string) => void;
  readonly retryDelaysMs: readonly number[];
}

/**
 * Stays in the room until `stop` aborts, the room is closed, or the agent is removed. Rejoins when the media client gives up;
 * after a minute of connection, all retries are available again. Throws a StartError when it cannot join, or when another
 * process has joined under its identity.
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
    if (end) return log(`leaving: ${end}`);
    if (reason === 'DUPLICATE_IDENTITY') {
      throw new StartError(
        'Another process has joined the room under the same identity: stop one of them.',
      );
    }
    log(`connection lost: ${reason}`);
    if (performance.now() - joinedAt > HEALTHY_MS) delaysMs = [...retryDelaysMs];
  }
}

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
      if (delayMs === undefined)
        throw new StartError(
          `The agent gives up: ${reason}. Check MEDIA_URL, and that the media server runs.`,
        );
      options.log(`${reason}; retrying in ${delayMs / 1000} s`);
      await pause(delayMs * (1 + JITTER * (2 * Math.random() - 1)), stop);
    }
  }
}

function refusedToken(reason: string, isBack: boolean): StartError {
  // A restarted agent gets another token.
  if (isBack) {
    return new StartError(
      `The media server refuses the token, which has probably expired: start another agent. (${reason})`,
    );
  }
  const remedy = 'Check MEDIA_API_KEY and MEDIA_API_SECRET, or MEDIA_TOKEN.';
  return configurationError(`The media server refuses the token. ${remedy} (${reason})`);
}
