import type { ReconnectPolicy } from 'livekit-client';

const FIRST_MS = [100, 300, 600];
const LATER_MS = 1000;
/** After this time the conversation joins with a new room and a new token. */
const GIVE_UP_MS = 120_000;

/** When livekit-client tries again after a loss. Its own policy came back 9 s after a media server did, and this one 2.5 s. */
export const reconnectPolicy: ReconnectPolicy = {
  nextRetryDelayInMs({ elapsedMs, retryCount }) {
    if (elapsedMs > GIVE_UP_MS) return null;
    // A quarter more or less, so that clients which a server lost together do not return together.
    return (FIRST_MS[retryCount] ?? LATER_MS) * (0.75 + Math.random() / 2);
  },
};
