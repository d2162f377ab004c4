import { pause, StartError } from '@session/kit';
import { type DemoRoom, joinDemoRoom } from '../demo/room.ts';
import { DemoSession } from '../demo/session.ts';
import type { DrillStack } from './drill-stack.ts';

const RECORDED_MS = 60_000;
const BETWEEN_MESSAGES_MS = 1000;

export interface DrillRoom extends AsyncDisposable {
  readonly session: DemoSession;
  readonly room: DemoRoom;
}

export async function openRoom({ apiUrl, stop }: DrillStack): Promise<DrillRoom> {
  await using parts = new AsyncDisposableStack();
  const session = parts.use(await DemoSession.open(apiUrl, 'Drill', stop));
  if (!(await session.isRecorded(RECORDED_MS))) {
    throw new StartError('No recorder has joined the room: check the recorder’s log.');
  }
  const room = parts.use(await joinDemoRoom(await session.access(), 'Drill', () => {}));
  const owned = parts.move();
  return { session, room, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Repeats `content` in a room, because a first message may come before everybody is connected. */
export function keepSaying(room: DemoRoom, content: string): AsyncDisposable {
  const end = new AbortController();
  const talk = (async () => {
    do {
      await room.say(content).catch(() => {});
    } while (await pause(BETWEEN_MESSAGES_MS, end.signal));
  })();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await talk;
    },
  };
}
