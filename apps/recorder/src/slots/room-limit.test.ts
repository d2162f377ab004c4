import { setImmediate } from 'node:timers/promises';
import { Room } from '@livekit/rtc-node';
import { markUnclaimableSessions } from '@session/db';
import { observerToken, releaseRoom, roomOptions } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, type HistoryRow, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

test('a recorder at its limit of rooms records no further session until another one is closed', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: { capacity: 1, roomLimit: 2 } });
  const recorded = [await stage.recordedSession(), await stage.recordedSession()];
  const waiting = await stage.createSession();
  await until(() => recorder.health().unclaimableSessions === 1);
  expect(recorder.health()).toMatchObject({ sessions: { recording: 2 }, roomLimit: 2 });
  expect(await stage.slot(waiting)).toMatchObject({ recorder_id: null, status: 'waiting' });
  await stage.closeSession(recorded[0] ?? '');
  await stage.untilRecording(waiting);
  await until(() => recorder.health().unclaimableSessions === 0);
  await until(async () => (await stage.gaps(waiting)).reported.length === 1);
  const { reported, left } = await stage.gaps(waiting);
  expect(reported).toEqual(left);
  expect(reported).toMatchObject([{ reason: 'not_started' }]);
});

test('what one recorder at its limit cannot take is recorded by another one, and is not reported', async ({
  stage,
}) => {
  const full = await stage.record({ config: { capacity: 1, roomLimit: 1 } });
  await stage.recordedSession();
  await stage.record({ config: { capacity: 1, roomLimit: 9 } });
  const sessions = [await stage.createSession(), await stage.createSession()];
  for (const sessionId of sessions) await stage.untilRecording(sessionId);
  expect(full.health()).toMatchObject({ sessions: { recording: 1 }, unclaimableSessions: 0 });
});

const textsOf = (history: readonly HistoryRow[]) =>
  history.flatMap(({ kind, content }) => (kind === 'text' ? content : []));

test('empty sessions fill the recorder: a session that somebody joins is recorded within seconds, and so is the one that gave way', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: { capacity: 2, roomLimit: 2 } });
  const [busy, empty] = [await stage.recordedSession(), await stage.recordedSession()];
  const ben = await stage.join(busy, 'Ben');
  const waiting = [await stage.createSession(), await stage.createSession()];
  const [joined = '', unjoined = ''] = waiting;
  await until(() => recorder.health().unclaimableSessions === 2);

  const ana = await stage.join(joined, 'Ana');
  const beganAt = performance.now();
  await stage.untilRecording(joined);
  expect(performance.now() - beganAt).toBeLessThan(10_000);
  await ana.say('can anybody hear me?');
  await stage.historyWith(joined, ({ content }) => content === 'can anybody hear me?');
  expect(await stage.slot(empty)).toMatchObject({ recorder_id: null, status: 'waiting' });
  expect(await stage.slot(unjoined)).toMatchObject({ recorder_id: null, status: 'waiting' });
  await until(async () => (await stage.gaps(empty)).left.length === 1);
  expect((await stage.gaps(empty)).left).toMatchObject([{ reason: 'gave_way' }]);

  // No other session can give way, so this session waits until Ana leaves hers.
  const eva = await stage.join(empty, 'Eva');
  await eva.say('too early');
  await ana.leave();
  await stage.untilRecording(empty);
  await eva.say('back again');
  await stage.historyWith(empty, ({ content }) => content === 'back again');
  await until(async () => (await stage.gaps(empty)).reported.length === 1);
  const { reported, left } = await stage.gaps(empty);
  expect(reported).toEqual(left);
  expect(reported).toMatchObject([{ reason: 'gave_way' }]);

  await ben.say('still here');
  const history = await stage.historyWith(busy, ({ content }) => content === 'still here');
  expect(textsOf(history)).toEqual(['still here']);
  expect((await stage.gaps(busy)).left).toEqual([]);
});

test('while a room is free, and while nobody waits, no empty session gives way', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: { capacity: 1, roomLimit: 1 } });
  const empty = await stage.recordedSession();
  const other = await stage.record({ config: { capacity: 1, roomLimit: 1 } });
  const joined = await stage.createSession();
  await stage.join(joined, 'Ana');
  await stage.untilRecording(joined);
  // Now both are full, and the third session has nobody in it.
  await stage.createSession();
  await until(() => recorder.health().unclaimableSessions === 1);
  await until(() => other.health().unclaimableSessions === 1);
  expect((await stage.gaps(empty)).left).toEqual([]);
  expect(await stage.countIntervals(empty)).toBe(1);
  expect(await stage.slot(empty)).toMatchObject({ status: 'recording' });
});

test('an observer is nobody: a session with an observer alone gives way, and does not make another give way', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: { capacity: 1, roomLimit: 1 } });
  const recorded = await stage.recordedSession();
  const observed = await stage.createSession();
  await until(() => recorder.health().unclaimableSessions === 1);
  await using observers = new AsyncDisposableStack();
  for (const room of [observed, recorded]) {
    const { token } = await observerToken(stage.media, { room, userId: uuidv7() });
    const observer = new Room();
    await observer.connect(stage.media.url, token, roomOptions());
    observers.defer(() => releaseRoom(observer));
  }
  const joined = await stage.createSession();
  await stage.join(joined, 'Ana');
  await stage.untilRecording(joined);
  expect(await stage.countIntervals(observed)).toBe(0);
});

test('while rooms are short, two seconds of joins within its pause make a recorder look for work once', async ({
  stage,
}) => {
  let rounds = 0;
  const recorder = await stage.record({
    config: { capacity: 1, roomLimit: 1 },
    timing: { ...FAST, pollMs: 600_000, joinRestMs: 600_000 },
    queries: {
      async markUnclaimableSessions(...which) {
        rounds += 1;
        return await markUnclaimableSessions(stage.database, ...which);
      },
    },
  });
  await stage.recordedSession();
  const room = await stage.createSession();
  await until(() => recorder.health().unclaimableSessions === 1);
  rounds = 0;
  const endsAt = performance.now() + 2000;
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const participant = { identity: 'user-1', name: 'Ana', sid: `PA_${count}`, kind: 'standard' };
    const joined = {
      type: 'participant_joined',
      joinedAt: 1,
      reason: null,
      receivedAt: 0,
    } as const;
    const event = { ...joined, participant };
    await recorder.receiveWebhook({ room, instance: { sid: 'RM_1', createdAt: 1 }, event });
    // Each webhook comes in a separate turn of the event loop, as requests do.
    await setImmediate();
  }
  await until(() => rounds > 0);
  // Two, because a round may already have been running.
  expect(rounds).toBeLessThanOrEqual(2);
});
