import { disposeSdk, joinRoom } from '@session/media/room';
import type { Room } from './conversation/room.ts';

/**
 * Returns a room for a conversation in Node. Texts arrive whole, so only an agent's transcripts are `speaking`. Losses that
 * LiveKit's SDK repairs by itself are not shown as `reconnecting`.
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

/** Shuts down LiveKit's SDK. Without this call, the process never ends by itself. No room can be joined afterwards. */
export async function disposeRooms(): Promise<void> {
  await disposeSdk();
}
