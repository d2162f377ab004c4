import { decode, type RoomEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { type MediaServer, userToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { ReceivedMessage } from './check-history.ts';
import { RejoiningParticipant } from './rejoining-participant.ts';
import type { ServiceApi } from './service-api.ts';

/** A sender that is behind its schedule catches up at most this much. */
const CATCH_UP_MS = 2000;
/** How long the API may take to accept a message. */
const SAY_TIMEOUT_MS = 10_000;

/** The number of channels: each sends one message per `everyMs`. */
export const CHANNEL_COUNT = 4;

/** A conversation in a session's room, and what was sent and received in it so far. */
export interface ChaosConversation extends AsyncDisposable {
  readonly sessionId: string;
  /** The contents by channel, in order. A message whose sending failed is a channel of its own: its order is unknown. */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  /** What the listener received. */
  readonly received: readonly ReceivedMessage[];
  /** The ids of the messages that the API has accepted. */
  readonly accepted: readonly string[];
  /** Whether both senders and the listener are in the room. */
  readonly isComplete: () => boolean;
  /** Stops sending. When this resolves, nothing is on its way any more. */
  stopSending(): Promise<void>;
}

/**
 * Starts a conversation in a session's room. One participant sends packets with and without an id, another one text streams,
 * and the API messages of its own: each channel one numbered message per `everyMs`. A third participant listens.
 */
export function startConversation(
  server: MediaServer,
  api: ServiceApi,
  sessionId: string,
  everyMs: number,
): ChaosConversation {
  const sent: Record<string, string[]> = {};
  const sentAt = new Map<string, number>();
  const received: ReceivedMessage[] = [];
  const accepted: string[] = [];
  const stopping = new AbortController();
  const join = (name: string, onEvent?: (event: RoomEvent) => void) => {
    const user = { room: sessionId, userId: name, name };
    const token = async () => (await userToken(server, user)).token;
    return new RejoiningParticipant(server.url, token, onEvent);
  };
  const listener = join('listener', (event) => {
    const { outcome, ...rest } = decode(event, { sessionId, newId: uuidv7 });
    if (outcome !== 'store' || !('message' in rest)) return;
    const { id, content, role, metadata } = rest.message;
    if (role === 'system') return;
    const receivedAt = Date.now();
    const sentId = metadata.rawId === null ? null : id;
    received.push({ id: sentId, content, sentAt: sentAt.get(content) ?? receivedAt, receivedAt });
  });
  const [packets, streams] = [join('packets'), join('streams')];
  const runChannel = async (channel: string, send: (content: string) => Promise<unknown>) => {
    const own: string[] = [];
    sent[channel] = own;
    // Messages keep their average rate when one of them takes longer, but nobody makes up for an outage.
    let next = Date.now() + everyMs;
    let count = 0;
    while (await pause(Math.max(0, next - Date.now()), stopping.signal)) {
      next = Math.max(next + everyMs, Date.now() - CATCH_UP_MS);
      count += 1;
      const content = `${channel} #${count}`;
      own.push(content);
      sentAt.set(content, Date.now());
      // A failed message may still arrive, after later ones. Whether it did is for the listener to say.
      await send(content).catch(() => {
        own.pop();
        sent[content] = [content];
      });
    }
  };
  const sending = Promise.all([
    runChannel('packets', async (content) => await packets.room?.say(content)),
    // An empty id counts as none.
    runChannel('packets without id', async (content) => {
      await packets.room?.sendPacket({ type: 'user_text', data: content, id: '' });
    }),
    runChannel('streams', async (content) => await streams.room?.sendText('lk.chat', content)),
    runChannel('api', async (content) => {
      const signal = AbortSignal.any([AbortSignal.timeout(SAY_TIMEOUT_MS), stopping.signal]);
      accepted.push(await api.say(sessionId, content, signal));
    }),
  ]);
  const stopSending = async () => {
    stopping.abort();
    await sending;
  };
  return {
    sessionId,
    sent,
    received,
    accepted,
    isComplete: () => [listener, packets, streams].every(({ room }) => room !== undefined),
    stopSending,
    async [Symbol.asyncDispose]() {
      await stopSending();
      await Promise.all([listener, packets, streams].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
