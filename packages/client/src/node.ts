import { joinRoom } from '@session/media';
import type { Room } from './conversation/room.ts';

/**
 * Returns a room for a conversation in Node. It hears texts and packets when they are whole: nothing is ever `speaking`. A
 * connection that LiveKit's SDK resumes by itself is not told apart from one that stood.
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
