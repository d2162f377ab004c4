import { setImmediate } from 'node:timers/promises';
import type { PresenceEvent } from '@session/contract/room';
import { aborted } from '@session/kit';
import { expect, test } from 'vitest';
import { RoomVoice } from './room-voice.ts';

const ANN = { identity: 'user-ann', name: 'Ann', kind: 'standard', sid: 'PA_ann' };
const BEN = { identity: 'user-ben', name: 'Ben', kind: 'standard', sid: 'PA_ben' };
const ZED = { identity: 'agent-zed', name: 'Zed', kind: 'agent', sid: 'PA_zed' };

/** A track to which somebody listens. It plays at once, unless it is stuck. */
class FakeTrack {
  readonly rate = 1000;
  readonly isHeard = true;
  readonly queuedMs = 0;
  readonly #closing = new AbortController();
  readonly #begin = Promise.withResolvers<void>();
  readonly begun = this.#begin.promise;
  isStuck = false;

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async write(_samples: Int16Array, signal: AbortSignal): Promise<void> {
    this.#begin.resolve();
    if (this.isStuck) await Promise.race([aborted(signal), aborted(this.#closing.signal)]);
    if (this.isClosed && !signal.aborted) throw new Error('out of the room');
  }

  clear(): void {}

  async close(): Promise<void> {
    this.#closing.abort();
  }
}

test('an answer without a sound yet keeps its track when a person leaves; the next one may have another', async () => {
  const { begin, leave, closed } = await openVoice();
  const { answer, heard } = begin();
  await leave(BEN);
  expect(closed()).toEqual([false]);
  await answer.write('Good morning to you.');
  await answer.end();
  expect(heard()).toBe('Good morning to you.');
  await settle();
  expect(closed()).toEqual([true, false]);
});

test.each([
  ['a person', BEN, [true, false]],
  ['an agent', ZED, [false]],
])('between two answers, the leave of %s closes these tracks: %j', async (_, one, expected) => {
  const { leave, closed } = await openVoice();
  await leave(one);
  expect(closed()).toEqual(expected);
});

test('when the last person leaves in the middle of an answer, its rest is written, and the track is closed', async () => {
  const { begin, leave, closed, tracks } = await openVoice();
  await leave(BEN);
  const [, track] = tracks;
  if (!track) throw new Error('the track was replaced');
  track.isStuck = true;
  const { answer, heard } = begin();
  await answer.write('Good morning to you. How are you?');
  const ended = answer.end();
  await track.begun;
  await leave(ANN);
  await ended;
  expect(heard()).toBe('Good morning to you. How are you?');
  expect(closed()).toEqual([true, true]);
});

test('while the agent is out of the room, and sees nobody in it, an answer keeps its track', async () => {
  const { begin, leave, closed, room } = await openVoice();
  const { answer, heard } = begin();
  room.connection = undefined;
  for (const one of [ANN, BEN]) await leave(one);
  await answer.write('Good morning to you.');
  await answer.end();
  expect([heard(), closed()]).toEqual(['Good morning to you.', [false]]);
});

test('an answer keeps its track when the media client reports that all have left without a reason', async () => {
  const { begin, leave, closed } = await openVoice();
  const { answer, heard } = begin();
  for (const one of [ANN, BEN]) await leave(one, null);
  await answer.write('Good morning to you.');
  await answer.end();
  expect([heard(), closed()]).toEqual(['Good morning to you.', [false]]);
});

/** Opens a voice in a room with Ann, Ben and the agent Zed. */
async function openVoice() {
  const tracks: FakeTrack[] = [];
  const room = {
    connection: 1 as number | undefined,
    participants: [ANN, BEN, ZED],
    untilConnected: async () => {},
    openVoice: async () => {
      const track = new FakeTrack();
      tracks.push(track);
      return track;
    },
  };
  const voice = new RoomVoice({
    async *synthesize() {
      await setImmediate();
      yield new Int16Array(100);
    },
    openSpokenText: () => async (written) => written,
    isWorking: () => true,
    failed: () => {},
    log: () => {},
  });
  voice.use(Object(room));
  await settle();
  return {
    room,
    tracks,
    closed: () => tracks.map(({ isClosed }) => isClosed),
    begin: () => {
      let text = '';
      const answer = voice.begin(async (words) => {
        text += words;
      });
      return { answer, heard: () => text };
    },
    leave: async (
      participant: PresenceEvent['participant'],
      reason: PresenceEvent['reason'] = 'CLIENT_INITIATED',
    ) => {
      room.participants = room.participants.filter((one) => one !== participant);
      const times = { joinedAt: null, receivedAt: 0 };
      voice.receive({ type: 'participant_left', participant, reason, ...times });
      await settle();
    },
  };
}

/** Resolves when everything has happened that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
