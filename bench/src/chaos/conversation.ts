import type { Client } from '@session/client';
import { decode, type RoomEvent } from '@session/contract/room';
import { type MediaServer, userToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { sendLongTexts, sendRegularly } from './channels.ts';
import type { ReceivedMessage, SentPart } from './check-history.ts';
import { RejoiningParticipant } from './rejoining-participant.ts';
import { RejoiningStranger } from './rejoining-stranger.ts';

const SAY_TIMEOUT_MS = 10_000;

/** How many channels send one message per `everyMs`. The long texts, which follow one another, do not count. */
export const CHANNEL_COUNT = 6;

export interface ChaosConversation extends AsyncDisposable {
  readonly sessionId: string;
  readonly sent: Readonly<Record<string, readonly string[]>>;
  readonly received: readonly ReceivedMessage[];
  readonly accepted: readonly string[];
  readonly isComplete: () => boolean;
  stopSending(): Promise<void>;
}

/**
 * Starts a conversation. Each channel sends one numbered message per `everyMs`: packets with and without an id, text
 * streams, a stranger's packets and chat messages, and messages of the API. Long streams of 20 s follow one another, and a
 * participant listens. Two conversations of a session need different values of `prefix`.
 */
export function startConversation(
  server: MediaServer,
  client: Client,
  sessionId: string,
  everyMs: number,
  prefix = '',
): ChaosConversation {
  const sent: Record<string, string[]> = {};
  const sentAt = new Map<string, number>();
  const parts: SentPart[] = [];
  const received: ReceivedMessage[] = [];
  const accepted: string[] = [];
  const stopping = new AbortController();
  const tokenOf = (name: string) => async () =>
    (await userToken(server, { room: sessionId, userId: `${prefix}${name}`, name })).token;
  const join = (name: string, onEvent?: (event: RoomEvent) => void) =>
    new RejoiningParticipant(server.url, tokenOf(name), onEvent);
  const listener = join('listener', (event) => {
    const { outcome, ...rest } = decode(event, { sessionId, newId: uuidv7 });
    if (outcome !== 'store' || !('message' in rest)) return;
    const { id, content, role, metadata } = rest.message;
    if (role === 'system') return;
    const receivedAt = Date.now();
    const sentId = metadata.rawId === null ? null : id;
    const ownParts = parts.filter(({ text }) => content.startsWith(text));
    received.push({
      id: sentId,
      content,
      sentAt: sentAt.get(content) ?? ownParts[0]?.sentAt ?? receivedAt,
      receivedAt,
      ...(ownParts.length > 0 && { parts: ownParts }),
    });
  });
  const [packets, streams, long] = [join('packets'), join('streams'), join('long streams')];
  const stranger = new RejoiningStranger(server.url, tokenOf('stranger'));
  const talk = { prefix, sent, sentAt, parts, signal: stopping.signal };
  const runChannel = (channel: string, send: (content: string) => Promise<unknown>) =>
    sendRegularly(talk, channel, everyMs, send);
  const sending = Promise.all([
    runChannel('packets', async (content) => await packets.room?.say(content)),
    // An empty id counts as none.
    runChannel('packets without id', async (content) => {
      await packets.room?.sendPacket({ type: 'user_text', data: content, id: '' });
    }),
    runChannel('streams', async (content) => await streams.room?.sendText('lk.chat', content)),
    runChannel('strangers', async (data) => {
      const packet = JSON.stringify({ type: 'user_text', data, id: uuidv7() });
      await stranger.self?.publishData(Buffer.from(packet), { reliable: true });
    }),
    runChannel('chat messages', async (text) => await stranger.announced?.sendChatMessage(text)),
    sendLongTexts(talk, long),
    runChannel('api', async (content) => {
      const signal = AbortSignal.any([AbortSignal.timeout(SAY_TIMEOUT_MS), stopping.signal]);
      const { id } = await client.messages.say(sessionId, { id: uuidv7(), content }, { signal });
      accepted.push(id);
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
    isComplete: () =>
      stranger.self !== undefined &&
      [listener, packets, streams, long].every(({ room }) => room !== undefined),
    stopSending,
    async [Symbol.asyncDispose]() {
      await stopSending();
      const all = [listener, packets, streams, long, stranger];
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
