import { pause } from '@session/kit';
import type { TestStage } from './stage.ts';

/** How a participant talks: by packets with an id, by packets without one, and by text streams. */
const CHANNELS = ['named', 'unnamed', 'streams'] as const;
type Channel = (typeof CHANNELS)[number];

/** Participants who talk in all three ways at the same time. */
export interface TestTalk {
  /** By channel, in the order in which it was said. */
  readonly said: Readonly<Record<Channel, readonly string[]>>;
  readonly hush: () => Promise<void>;
}

/** Makes participants talk in the session's room: a sentence in each channel every `everyMs`. */
export async function talk(
  stage: TestStage,
  sessionId: string,
  everyMs: number,
): Promise<TestTalk> {
  const ana = await stage.join(sessionId);
  const foreigner = await stage.joinAsForeigner(sessionId);
  await foreigner.setAttributes({ known: 'by now' });
  const said: Record<Channel, string[]> = { named: [], unnamed: [], streams: [] };
  const hushed = new AbortController();
  const encoder = new TextEncoder();
  const send = {
    named: (words: string) => ana.say(words),
    unnamed: (data: string) => {
      const packet = encoder.encode(JSON.stringify({ type: 'user_text', data }));
      return foreigner.publishData(packet, { reliable: true });
    },
    streams: (words: string) => ana.sendText('lk.chat', words),
  };
  const speak = async (channel: Channel) => {
    while (await pause(everyMs, hushed.signal)) {
      const words = `${channel} ${said[channel].length}`;
      said[channel].push(words);
      await send[channel](words);
    }
  };
  const speaking = Promise.all(CHANNELS.map(speak));
  const hush = async () => {
    hushed.abort();
    await speaking;
  };
  return { said, hush };
}

export async function storedTalk(
  stage: TestStage,
  sessionId: string,
): Promise<Readonly<Record<Channel, readonly string[]>>> {
  const history = await stage.history(sessionId);
  const texts = history.flatMap(({ kind, content }) => (kind === 'text' ? content : []));
  const of = (channel: Channel) => texts.filter((words) => words.startsWith(`${channel} `));
  return { named: of('named'), unnamed: of('unnamed'), streams: of('streams') };
}

/** Whether the history holds at least that many sentences of each channel, or as many as were said. */
export async function hasStored(
  stage: TestStage,
  sessionId: string,
  counts: number | TestTalk['said'],
): Promise<boolean> {
  const stored = await storedTalk(stage, sessionId);
  return CHANNELS.every((channel) => {
    const count = typeof counts === 'number' ? counts : counts[channel].length;
    return stored[channel].length >= count;
  });
}
