import { once } from 'node:events';
import { StartError } from '@session/kit';
import { joinRoom } from '@session/media';
import { expect, test } from 'vitest';
import { type AttendedRoom, attendRoom } from './attend-room.ts';

test('a lost connection is replaced, until there are no more retries', async () => {
  const rooms = [lost('UNKNOWN_REASON'), undefined, lost('SERVER_SHUTDOWN'), undefined, undefined];
  const { log, done } = attend(rooms, new AbortController().signal);
  await expect(done).rejects.toThrow(
    new StartError('The agent gives up: away. Check MEDIA_URL, and that the media server runs.'),
  );
  expect(log).toEqual([
    'is in',
    'connection lost: UNKNOWN_REASON',
    'away; retrying in 0.001 s',
    'is in',
    'connection lost: SERVER_SHUTDOWN',
    'away; retrying in 0.001 s',
  ]);
});

test('an agent that is asked to stop finishes its answers and then leaves', async () => {
  const stop = new AbortController();
  const { log, done } = attend([open()], stop.signal);
  stop.abort();
  await done;
  expect(log).toEqual(['is in', 'finished', 'left']);
});

test('an agent that is asked to stop before a retry ends at once', async () => {
  const stop = new AbortController();
  const { done } = attend([undefined], stop.signal, 60_000);
  stop.abort();
  await expect(done).resolves.toBeUndefined();
});

test('an agent whose identity was taken over does not join again', async () => {
  const { done } = attend([lost('DUPLICATE_IDENTITY')], new AbortController().signal);
  await expect(done).rejects.toThrow(StartError);
});

test('an agent whose token has expired since it was in ends as crashed does, and not as badly configured', async () => {
  const { done } = attend([lost('UNKNOWN_REASON'), refused], new AbortController().signal);
  const failure: unknown = await done.catch((error: unknown) => error);
  expect(failure).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('probably expired'),
  });
  const atOnce = attend([refused], new AbortController().signal).done;
  await expect(atOnce).rejects.toMatchObject({ exitCode: 78 });
});

test('an agent without a media server gives up, with the reason', async () => {
  const rest = { onJoined: () => {}, finish: async () => {}, log: () => {} };
  const done = attendRoom(
    { join: joinNowhere, ...rest, retryDelaysMs: [1, 1] },
    new AbortController().signal,
  );
  await expect(done).rejects.toThrow(/^The agent gives up: .*refused/);
});

async function joinNowhere(): Promise<AttendedRoom> {
  return await joinRoom({ url: 'ws://127.0.0.1:1', token: 'any' });
}

type Closed = (log: string[]) => AttendedRoom;

/** Attends the rooms, one after another. Undefined stands for a failed attempt to join. */
function attend(rooms: (Closed | undefined)[], stop: AbortSignal, retryDelayMs = 1) {
  const log: string[] = [];
  const left = [...rooms];
  const done = attendRoom(
    {
      join: async () => {
        const room = left.shift();
        if (!room) throw new Error('away');
        return room(log);
      },
      onJoined: () => void log.push('is in'),
      finish: async () => void log.push('finished'),
      log: (line) => void log.push(line),
      retryDelaysMs: [retryDelayMs, retryDelayMs],
    },
    stop,
  );
  return { log, done };
}

function lost(reason: string): Closed {
  return () => ({ identity: 'agent', closed: Promise.resolve(reason), leave: async () => {} });
}

const refused: Closed = () => {
  throw new Error('cannot join the room: 401 Unauthorized: invalid token');
};

function open(): Closed {
  return (log) => ({
    identity: 'agent',
    closed: once(new EventTarget(), 'never').then(() => ''),
    leave: async () => void log.push('left'),
  });
}
