import { once } from 'node:events';
import { StartError } from '@session/kit';
import { joinRoom } from '@session/media';
import { expect, test } from 'vitest';
import { type AttendedRoom, attendRoom } from './attend-room.ts';

test('a connection lost for good is replaced, as often as there are attempts', async () => {
  const rooms = [lost('UNKNOWN_REASON'), undefined, lost('SERVER_SHUTDOWN'), undefined, undefined];
  const { log, done } = attend(rooms, new AbortController().signal);
  await expect(done).rejects.toThrow(new StartError('The room cannot be joined: away'));
  expect(log).toEqual([
    'is in',
    'lost the connection: UNKNOWN_REASON',
    'away; tries again in 0.001 s',
    'is in',
    'lost the connection: SERVER_SHUTDOWN',
    'away; tries again in 0.001 s',
  ]);
});

test('asked to stop, it finishes its sentence and then leaves', async () => {
  const stop = new AbortController();
  const { log, done } = attend([open()], stop.signal);
  stop.abort();
  await done;
  expect(log).toEqual(['is in', 'finished', 'left']);
});

test('asked to stop while it waits, it waits no longer', async () => {
  const stop = new AbortController();
  const { done } = attend([undefined], stop.signal, 60_000);
  stop.abort();
  await expect(done).resolves.toBeUndefined();
});

test('it does not fight for its name', async () => {
  const { done } = attend([lost('DUPLICATE_IDENTITY')], new AbortController().signal);
  await expect(done).rejects.toThrow(StartError);
});

test('it gives up, with the reason, when there is no media server', async () => {
  const rest = { onJoined: () => {}, finish: async () => {}, say: () => {} };
  const done = attendRoom(
    { join: joinNowhere, ...rest, retryDelaysMs: [1, 1] },
    new AbortController().signal,
  );
  await expect(done).rejects.toThrow(/^The room cannot be joined: .*refused/);
});

async function joinNowhere(): Promise<AttendedRoom> {
  return await joinRoom({ url: 'ws://127.0.0.1:1', token: 'any' });
}

type Closed = (log: string[]) => AttendedRoom;

/** Attends the rooms, one after another; undefined stands for an attempt that fails. */
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
      say: (line) => void log.push(line),
      retryDelaysMs: [retryDelayMs, retryDelayMs],
    },
    stop,
  );
  return { log, done };
}

function lost(reason: string): Closed {
  return () => ({ identity: 'agent', closed: Promise.resolve(reason), leave: async () => {} });
}

function open(): Closed {
  return (log) => ({
    identity: 'agent',
    closed: once(new EventTarget(), 'never').then(() => ''),
    leave: async () => void log.push('left'),
  });
}
