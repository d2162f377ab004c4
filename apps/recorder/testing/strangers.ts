import type { LocalParticipant } from '@livekit/rtc-node';
import { encodePacket } from '@session/contract/room';
import { type MediaServer, openRoomService, type RoomService } from '@session/media';
import { type HistoryRow, type TestStage, until } from './stage.ts';

export const PROBE = 'Can you read me?';

/** What was said, or stored, in a session: the sender's identity and the words, sorted. */
export type Said = readonly string[];

/**
 * In one session after another, lets participants join at the same time who announce nothing, as with LiveKit's ordinary
 * clients, and talk: a packet without an id, a packet with one, a text stream and a chat message each. Returns what they
 * said, by session. Each stranger first awaits `mayTalk`.
 */
export async function letStrangersTalk(
  stage: TestStage,
  sessionIds: readonly string[],
  names: readonly string[],
  mayTalk: (sessionId: string, stranger: LocalParticipant) => Promise<void> = async () => {},
): Promise<Map<string, Said>> {
  const all = new Map<string, Said>();
  for (const sessionId of sessionIds) {
    const said = names.map(async (name) => {
      const stranger = await stage.joinAsForeigner(sessionId, name);
      await mayTalk(sessionId, stranger);
      return await talk(stranger, name);
    });
    all.set(sessionId, (await Promise.all(said)).flat().toSorted());
  }
  return all;
}

async function talk(stranger: LocalParticipant, name: string): Promise<string[]> {
  const say = (words: object) =>
    stranger.publishData(encodePacket({ type: 'user_text', data: '', ...words }), {
      reliable: true,
    });
  await say({ data: `${name} without an id` });
  await say({ data: `${name} with an id`, id: `m-${name}` });
  await stranger.sendText(`${name} in a stream`, { topic: 'lk.chat' });
  await stranger.sendChatMessage(`${name} in a chat message`);
  return saidBy(stranger.identity, name);
}

export function watchAnnouncements(media: MediaServer): {
  readonly rooms: RoomService;
  readonly announced: ReadonlySet<string>;
} {
  const rooms = openRoomService(media);
  const announced = new Set<string>();
  const announceParticipant = async (room: string, identity: string) => {
    await rooms.announceParticipant(room, identity);
    announced.add(identity);
  };
  return { rooms: { ...rooms, announceParticipant }, announced };
}

/**
 * Resolves when the stranger is announced to the session's only recorder. LiveKit's SDK drops a chat message whose sender is
 * not announced, so the stranger sends chat messages until one is stored. `textsOf` leaves them out.
 */
export async function untilKnown(
  stage: TestStage,
  sessionId: string,
  stranger: LocalParticipant,
): Promise<void> {
  await until(async () => {
    await stranger.sendChatMessage(PROBE);
    const history = await stage.history(sessionId);
    return history.some(
      ({ content, metadata }) =>
        content === PROBE && metadata.participant?.identity === stranger.identity,
    );
  });
}

export function saidBy(identity: string, name: string): string[] {
  const words = ['without an id', 'with an id', 'in a stream', 'in a chat message'];
  return words.map((each) => `${identity}: ${name} ${each}`);
}

export function textsOf(history: readonly HistoryRow[]): Said {
  return history
    .filter(({ kind, content }) => kind === 'text' && content !== PROBE)
    .map(({ content, metadata }) => `${metadata.participant?.identity}: ${content}`)
    .toSorted();
}
