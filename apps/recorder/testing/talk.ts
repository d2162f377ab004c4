import { pause } from '@session/kit';
import type { TestStage } from './test-stage.ts';

const LINES = ['named', 'unnamed', 'streams'] as const;
type Line = (typeof LINES)[number];

/** Somebody who talks in three ways at once: by packets with an id, by packets without one, and by text streams. */
export interface Talk {
  /** By line, in the order in which it was said. */
  readonly said: Readonly<Record<Line, readonly string[]>>;
  /** Nothing is said any more when it resolves. */
  readonly hush: () => Promise<void>;
}

/** Has somebody talk in the session's room, a sentence in each way every `everyMs`. */
export async function talk(stage: TestStage, sessionId: string, everyMs: number): Promise<Talk> {
  const ana = await stage.join(sessionId);
  const foreigner = await stage.joinAsForeigner(sessionId);
  await foreigner.setAttributes({ known: 'by now' });
  const said: Record<Line, string[]> = { named: [], unnamed: [], streams: [] };
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
  const speak = async (line: Line) => {
    while (await pause(everyMs, hushed.signal)) {
      const words = `${line} ${said[line].length}`;
      said[line].push(words);
      await send[line](words);
    }
  };
  const speaking = Promise.all(LINES.map(speak));
  const hush = async () => {
    hushed.abort();
    await speaking;
  };
  return { said, hush };
}

/** Gives what the history has of a talk, as it has been said. */
export async function storedTalk(
  stage: TestStage,
  sessionId: string,
): Promise<Readonly<Record<Line, readonly string[]>>> {
  const history = await stage.history(sessionId);
  const texts = history.flatMap(({ kind, content }) => (kind === 'text' ? content : []));
  const of = (line: Line) => texts.filter((words) => words.startsWith(`${line} `));
  return { named: of('named'), unnamed: of('unnamed'), streams: of('streams') };
}

/** Whether the history has so many sentences of each line, or as many as were said. */
export async function hasStored(
  stage: TestStage,
  sessionId: string,
  counts: number | Talk['said'],
): Promise<boolean> {
  const stored = await storedTalk(stage, sessionId);
  return LINES.every((line) => {
    const count = typeof counts === 'number' ? counts : counts[line].length;
    return stored[line].length >= count;
  });
}
