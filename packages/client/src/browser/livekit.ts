import type { Participant } from '@session/contract/room';
import type * as LiveKit from 'livekit-client';

export type Sdk = typeof LiveKit;

/** The logger of our rooms in LiveKit's SDK. It is separate, so that the page's own rooms keep their log. */
export const LOGGER_NAME = 'session-client';

const FIRST_MS = [100, 300, 600];
const LATER_MS = 1000;
/** After this time, the conversation joins with a new room and a new token. */
const GIVE_UP_MS = 120_000;

export async function loadSdk(): Promise<Sdk> {
  const sdk = await import('livekit-client');
  sdk.getLogger(LOGGER_NAME).setLevel('silent');
  return sdk;
}

/**
 * When livekit-client reconnects after a loss. With this policy, a client was back 2.5 s after the media server; with
 * LiveKit's own policy, after 9 s.
 */
export const reconnectPolicy: LiveKit.ReconnectPolicy = {
  nextRetryDelayInMs({ elapsedMs, retryCount }) {
    if (elapsedMs > GIVE_UP_MS) return null;
    // Up to a quarter more or less, so that clients which lost a server together do not return together.
    return (FIRST_MS[retryCount] ?? LATER_MS) * (0.75 + Math.random() / 2);
  },
};

export function isHidden({ permissions }: LiveKit.Participant): boolean {
  return permissions?.hidden === true;
}

export function participantOf(
  { ParticipantKind }: Pick<Sdk, 'ParticipantKind'>,
  participant: LiveKit.Participant,
): Participant {
  const { identity, name = '', sid, kind } = participant;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid: sid || null, kind: kindName?.toLowerCase() ?? 'unknown' };
}
