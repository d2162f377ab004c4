import { decode, type RoomEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { userToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { Attendance } from './attendance.ts';
import type { Server, ServiceApi } from './service-api.ts';
import type { Heard } from './verdict.ts';

/** So far a talker may be behind, and still catches up. */
const CATCH_UP_MS = 2000;
/** How long the API may take for a sentence. */
const SAY_MS = 10_000;

/** What has been said in a session's room, by whom it may be. */
export interface Talk extends AsyncDisposable {
  readonly sessionId: string;
  /** By talker; what got no answer is a line of its own, for its order is not known. */
  readonly said: Readonly<Record<string, readonly string[]>>;
  readonly heard: readonly Heard[];
  /** The ids of what the API has accepted. */
  readonly accepted: readonly string[];
  /** Whether both talkers and the listener are in the room. */
  readonly isComplete: () => boolean;
  /** Nothing is said any more when it resolves. */
  hush(): Promise<void>;
}

/** How many sentences are said every `everyMs`. */
export const LINES = 4;

/**
 * Has two talk in a session's room, one by packets with an id and without, and one by text streams, and a third by the API,
 * a sentence in each way every `everyMs`; every sentence has a number of its own. A fourth, the listener, writes down what
 * can be heard.
 */
export function startTalk(
  server: Server,
  api: ServiceApi,
  sessionId: string,
  everyMs: number,
): Talk {
  const said: Record<string, string[]> = {};
  const saidAt = new Map<string, number>();
  const heard: Heard[] = [];
  const accepted: string[] = [];
  const hushed = new AbortController();
  const attend = (name: string, onEvent?: (event: RoomEvent) => void) => {
    const user = { room: sessionId, userId: name, name };
    const token = async () => (await userToken(server, user)).token;
    return new Attendance(server.url, token, onEvent);
  };
  const listener = attend('listener', (event) => {
    const { outcome, ...rest } = decode(event, { sessionId, newId: uuidv7 });
    if (outcome !== 'record' || !('message' in rest)) return;
    const { id, content: words, role, metadata } = rest.message;
    if (role === 'system') return;
    const heardAt = Date.now();
    const named = metadata.rawId === null ? null : id;
    heard.push({ id: named, words, saidAt: saidAt.get(words) ?? heardAt, heardAt });
  });
  const [packets, streams] = [attend('packets'), attend('streams')];
  const speak = async (line: string, send: (words: string) => Promise<unknown>) => {
    const own: string[] = [];
    said[line] = own;
    // On average, however long some of them take; but nobody makes up for an outage.
    let next = Date.now() + everyMs;
    let count = 0;
    while (await pause(Math.max(0, next - Date.now()), hushed.signal)) {
      next = Math.max(next + everyMs, Date.now() - CATCH_UP_MS);
      count += 1;
      const words = `${line} #${count}`;
      own.push(words);
      saidAt.set(words, Date.now());
      // Whether it was heard is the listener's to say. It may still come, but later than what is said next.
      await send(words).catch(() => {
        own.pop();
        said[words] = [words];
      });
    }
  };
  const speaking = Promise.all([
    speak('packets', async (words) => await packets.room?.say(words)),
    // An empty id is none.
    speak('unnamed', async (words) => {
      await packets.room?.sendPacket({ type: 'user_text', data: words, id: '' });
    }),
    speak('streams', async (words) => await streams.room?.sendText('lk.chat', words)),
    speak('api', async (words) => {
      const signal = AbortSignal.any([AbortSignal.timeout(SAY_MS), hushed.signal]);
      accepted.push(await api.say(sessionId, words, signal));
    }),
  ]);
  const hush = async () => {
    hushed.abort();
    await speaking;
  };
  return {
    sessionId,
    said,
    heard,
    accepted,
    isComplete: () => [listener, packets, streams].every(({ room }) => room !== undefined),
    hush,
    async [Symbol.asyncDispose]() {
      await hush();
      await Promise.all([listener, packets, streams].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
