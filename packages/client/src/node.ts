import { disposeSdk, joinRoom } from '@session/media/room';
import type { Room } from './conversation/room.ts';

/**
 * Returns a room for a conversation in Node. Texts arrive when they are whole, so only what an agent transcribes in parts is
 * `speaking`. A connection that LiveKit's SDK resumes by itself does not show as `reconnecting`.
 */
export function nodeRoom(): Room {
  return {
    async join({ serverUrl: url, participantToken: token }, listener, signal) {
      const joined = await joinRoom({ url, token, onEvent: listener.event });
      if (signal.aborted) await joined.leave();
      signal.throwIfAborted();
      return {
        identity: joined.identity,
        closed: joined.closed,
        leave: () => joined.leave(),
        send: async (packet) => {
          await joined.sendPacket({ ...packet });
        },
      };
    },
  };
}

/**
 * Shuts LiveKit's SDK down, for the whole process. A program that joined a room calls it at its end: without it the program never
 * ends by itself. It is not done when the last room is left, because no room can be joined after it.
 */
export async function disposeRooms(): Promise<void> {
  await disposeSdk();
}
