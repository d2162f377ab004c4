import type { LocalParticipant } from '@livekit/rtc-node';
import { encodePacket } from '@session/contract/room';
import { pause } from '@session/kit';
import type { HistoryRow, TestStage } from './stage.ts';

/** A stranger begins to talk 100 ms after its join. In ten steps: on a machine that stands still it takes longer. */
const SILENT_STEPS_MS = Array.from({ length: 10 }, () => 10);

/** What was said, or stored, in a session: the sender's identity and the words, sorted. */
export type Said = readonly string[];

/**
 * In one session after another, lets participants join at the same time who announce nothing, as with LiveKit's ordinary
 * clients, and talk: a packet without an id, a packet with one, a text stream and a chat message each. Returns what they
 * said, by session.
 */
export async function letStrangersTalk(
  stage: TestStage,
  sessionIds: readonly string[],
  names: readonly string[],
): Promise<Map<string, Said>> {
  const all = new Map<string, Said>();
  for (const sessionId of sessionIds) {
    const said = names.map(async (name) => {
      const stranger = await stage.joinAsForeigner(sessionId, name);
      for (const ms of SILENT_STEPS_MS) await pause(ms, new AbortController().signal);
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

/** Returns what a stranger of that name says. */
export function saidBy(identity: string, name: string): string[] {
  const words = ['without an id', 'with an id', 'in a stream', 'in a chat message'];
  return words.map((each) => `${identity}: ${name} ${each}`);
}

/** Returns the texts of a history, in the form of `Said`. */
export function textsOf(history: readonly HistoryRow[]): Said {
  return history
    .filter(({ kind }) => kind === 'text')
    .map(({ content, metadata }) => `${metadata.participant?.identity}: ${content}`)
    .toSorted();
}
