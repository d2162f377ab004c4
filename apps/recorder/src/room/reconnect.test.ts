import { isDeepStrictEqual } from 'node:util';
import { Room, SimulateScenarioKind } from '@livekit/rtc-node';
import { listCoverage } from '@session/db';
import { openRoomService, recorderToken } from '@session/media';
import { startMediaServer } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { FAST, type HistoryRow, TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { TIMING } from '../timing.ts';

test('a killed media server: recording again when it is back, and the gap is known', async () => {
  await using media = await startMediaServer();
  await using stage = await TestStage.open(media);
  // The delays are long enough for the server's start. Participants are also looked up while they join again.
  const timing = { ...FAST, retryDelaysMs: [200, 400, 800, 1600, 3200], splitCheckMs: 10 };
  const recorder = await stage.record({ timing });
  const sessionId = await stage.recordedSession();
  const before = await stage.join(sessionId, 'Before');
  await before.say('before');
  await stage.historyWith(sessionId, ({ content }) => content === 'before');
  await media.kill();
  await until(() => recorder.health().sessions['reconnecting'] === 1);
  await media.start();
  await until(() => recorder.health().sessions['recording'] === 1);
  const after = await stage.join(sessionId, 'After');
  const id = await after.say('after');
  await stage.historyWith(sessionId, (message) => message.id === id);
  const coverage = await listCoverage(stage.database, [sessionId]);
  expect(coverage.map(({ what, reason }) => [what, reason])).toEqual([
    ['coverage', null],
    ['gap', 'connection_lost'],
    ['coverage', null],
  ]);
});

test('given up after five attempts, and recorded again when the slot may be claimed', async () => {
  await using media = await startMediaServer();
  await using stage = await TestStage.open(media);
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  await media.kill();
  const lost = await until(async () => {
    const slot = await stage.slot(sessionId);
    return slot?.status === 'lost' && slot;
  });
  expect(lost).toMatchObject({ recorder_id: null, attempts: 5, is_resting: true });
  expect(recorder.health().sessions).toEqual({});
  await media.start();
  await stage.restSlot(sessionId);
  await stage.untilRecording(sessionId);
});

test('a recorder that was removed, or whose room was deleted, is back at once in an ACTIVE session', async ({
  stage,
}) => {
  // With this delay, only an attempt without a wait can succeed in time.
  await stage.record({ timing: { ...FAST, retryDelaysMs: [60_000] } });
  const sessionId = await stage.recordedSession();
  const rooms = openRoomService(stage.media);
  const slot = await stage.slot(sessionId);
  const ana = await stage.join(sessionId);
  await ana.say('first');
  await stage.historyWith(sessionId, ({ content }) => content === 'first');
  await rooms.removeParticipant(sessionId, `recorder-${slot?.recorder_id}`);
  await until(async () =>
    (await rooms.listParticipants(sessionId)).some(({ identity }) => identity.endsWith('.1')),
  );
  await stage.untilRecording(sessionId);
  await ana.say('second');
  await stage.historyWith(sessionId, ({ content }) => content === 'second');
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  expect(new Set(history.map(({ kind }) => kind)).size).toBe(3);
  expect(spoken(history)).toEqual(['Ana joined', 'first', 'second']);
});

test('left for good when its room is deleted because the session is closed', async ({ stage }) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  await stage.closeSession(sessionId);
  await openRoomService(stage.media).deleteRoom(sessionId);
  await until(async () => (await stage.slot(sessionId)) === undefined);
  await until(() => Object.keys(recorder.health().sessions).length === 0);
  expect(await openRoomService(stage.media).listRooms()).not.toContain(sessionId);
});

test('given up, not fought for, when another client connects under its identity', async ({
  stage,
}) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  const identity = `recorder-${recorder.health().recorderId}`;
  const { token } = await recorderToken(stage.media, { room: sessionId, identity });
  // Not `joinRoom`: a recorder may not announce itself.
  const other = new Room();
  await other.connect(stage.media.url, token);
  const slot = await until(async () => {
    const found = await stage.slot(sessionId);
    return found?.status === 'lost' && found;
  });
  expect(slot).toMatchObject({ failure: 'DUPLICATE_IDENTITY', attempts: 0 });
  await other.disconnect();
});

test('no reconnect of the SDK makes up a message or stores one twice, and all but a resume are reported as gaps', async ({
  stage,
}) => {
  using rooms = spyOnRooms();
  // The delays let the SDK reconnect first, if it reconnects within them.
  const { falseLeaveMs } = TIMING;
  await stage.record({ timing: { ...FAST, falseLeaveMs, retryDelaysMs: [2000, 4000, 8000] } });
  const reconnect = async (scenario: SimulateScenarioKind) => {
    const sessionId = await stage.recordedSession();
    const ana = await stage.join(sessionId);
    await ana.say('first');
    await stage.historyWith(sessionId, ({ content }) => content === 'first');
    const [recorderRoom] = rooms.madeFor(sessionId);
    await recorderRoom?.simulateScenario(scenario);
    await until(async () => (await stage.countIntervals(sessionId)) >= 2);
    // Sent as often as necessary, because on a busy machine a connection may be interrupted again.
    const second = { type: 'user_text', data: 'second', id: uuidv7() };
    await until(async () => {
      await ana.sendPacket(second);
      return (await stage.history(sessionId)).some(({ id }) => id === second.id);
    });
    await ana.leave();
    const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
    // A resume loses nothing, unless the SDK's connection was deaf afterwards or did not resume.
    const mayLeaveNoGap = scenario === SimulateScenarioKind.SIMULATE_SIGNAL_RECONNECT;
    await until(async () => {
      const { reported, left } = await stage.gaps(sessionId);
      return (mayLeaveNoGap || reported.length > 0) && isDeepStrictEqual(reported, left);
    });
    return { scenario, spoken: spoken(history) };
  };
  const scenarios = [
    SimulateScenarioKind.SIMULATE_SIGNAL_RECONNECT,
    SimulateScenarioKind.SIMULATE_FULL_RECONNECT,
    SimulateScenarioKind.SIMULATE_NODE_FAILURE,
    SimulateScenarioKind.SIMULATE_MIGRATION,
    SimulateScenarioKind.SIMULATE_SERVER_LEAVE,
  ];
  expect(await Promise.all(scenarios.map(reconnect))).toEqual(
    scenarios.map((scenario) => ({
      scenario,
      spoken: ['Ana joined', 'first', 'second', 'Ana left'],
    })),
  );
});

test('joins and leaves during an interruption are found when the connection is back', async () => {
  await using media = await startMediaServer();
  await using stage = await TestStage.open(media);
  const recorder = await stage.record({
    timing: { ...FAST, retryDelaysMs: [100, 200, 400, 800, 1600] },
  });
  const sessionId = await stage.recordedSession();
  await stage.join(sessionId, 'Gone');
  await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_joined');
  await media.kill();
  await until(() => recorder.health().sessions['reconnecting'] === 1);
  await media.start();
  const come = await stage.join(sessionId, 'Come');
  await come.say('hello');
  await stage.historyWith(sessionId, ({ content }) => content === 'Gone left');
  const history = await stage.historyWith(sessionId, ({ content }) => content === 'Come joined');
  expect(spoken(history)).toContain('Gone left');
});

/** Returns the contents of a history without its gaps. */
function spoken(history: readonly HistoryRow[]): string[] {
  return history.flatMap(({ kind, content }) => (kind === 'recording_gap' ? [] : content));
}

/** Collects each room that is connected from now on, so that a test can break its connection. */
function spyOnRooms(): { madeFor(sessionId: string): Room[] } & Disposable {
  const spy = vi.spyOn(Room.prototype, 'connect');
  const made = () => spy.mock.contexts.filter((context) => context instanceof Room);
  return {
    madeFor: (sessionId) => made().filter(({ name }) => name === sessionId),
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
