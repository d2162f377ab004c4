import { aborted, pause, StartError } from '@session/kit';
import { isRefusedToken, type JoinedRoom } from '@session/media';

/** After which delays joining is tried again; then the agent gives up. */
export const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000] as const;
const SPREAD = 0.2;
const HEALTHY_MS = 60_000;

/** LiveKit's reasons after which coming back would be against somebody's will. */
const ENDS = new Map([
  ['ROOM_DELETED', 'the room was deleted'],
  ['ROOM_CLOSED', 'the room was closed'],
  ['PARTICIPANT_REMOVED', 'it was sent out of the room'],
]);

export type AttendedRoom = Pick<JoinedRoom, 'closed' | 'identity' | 'leave'>;

export interface Attendance {
  /** Joins the room, or throws. */
  readonly join: () => Promise<AttendedRoom>;
  /** Called each time that the room can be used. */
  readonly onJoined: (room: AttendedRoom) => void;
  /** What is to be done before leaving. */
  readonly finish: () => Promise<void>;
  readonly say: (line: string) => void;
  readonly retryDelaysMs: readonly number[];
}

/**
 * Is in the room until `stop` aborts, or somebody ends the room or sends it out. When the connection is lost for good,
 * as far as the media client is concerned, it joins anew; a minute of health gives it all its attempts back. Throws a
 * StartError when it cannot join (at once when its token is refused), or another one has taken its name.
 */
export async function attendRoom(attendance: Attendance, stop: AbortSignal): Promise<void> {
  const { onJoined, finish, say, retryDelaysMs } = attendance;
  let delaysMs = [...retryDelaysMs];
  for (;;) {
    const room = await join(attendance, delaysMs, stop);
    if (!room) return;
    const began = performance.now();
    onJoined(room);
    const reason = await Promise.race([room.closed, aborted(stop)]);
    if (reason === undefined) await finish();
    await room.leave();
    if (reason === undefined) return;
    const end = ENDS.get(reason);
    if (end) return say(`leaves: ${end}`);
    if (reason === 'DUPLICATE_IDENTITY') {
      throw new StartError('Another process has joined the room under the same identity.');
    }
    say(`lost the connection: ${reason}`);
    if (performance.now() - began > HEALTHY_MS) delaysMs = [...retryDelaysMs];
  }
}

/** Gives the room, or undefined when `stop` aborts; takes the delays that it waits from `delaysMs`. */
async function join(
  attendance: Attendance,
  delaysMs: number[],
  stop: AbortSignal,
): Promise<AttendedRoom | undefined> {
  for (;;) {
    if (stop.aborted) return undefined;
    try {
      return await attendance.join();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isRefusedToken(error)) {
        const remedy = 'Check MEDIA_API_KEY and MEDIA_API_SECRET, or MEDIA_TOKEN.';
        throw new StartError(`The media server refuses the token. ${remedy} (${reason})`);
      }
      const delayMs = delaysMs.shift();
      if (delayMs === undefined) throw new StartError(`The room cannot be joined: ${reason}`);
      attendance.say(`${reason}; tries again in ${delayMs / 1000} s`);
      await pause(delayMs * (1 + SPREAD * (2 * Math.random() - 1)), stop);
    }
  }
}
