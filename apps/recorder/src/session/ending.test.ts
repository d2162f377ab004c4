import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ConnectionState } from '../room/connection-state.ts';
import { untilMayEnd } from './ending.ts';

const QUIET_MS = 1000;
const MAX_WAIT_MS = 5000;
const clock = { now: () => Date.now() };

beforeEach(() => startVirtualTime(0));

/** Ends a recording in virtual time that begins at 0. Returns when it may end, and whether that cuts texts of the other recorder. */
async function endOf({
  state = 'recording' as ConnectionState,
  lastEventAt = () => 0,
  openTextsBegan = () => Number.POSITIVE_INFINITY,
  coveredSince = undefined as number | undefined,
  cutShort = new AbortController().signal,
}) {
  const link = {
    get lastEventAt() {
      return lastEventAt();
    },
    hasOpenTextStreams: (before = Number.POSITIVE_INFINITY) => openTextsBegan() < before,
  };
  const rules = { reason: 'session_closed', quietMs: QUIET_MS, maxWaitMs: MAX_WAIT_MS } as const;
  const ending = { ...rules, coveredSince, cutShort };
  const ended = untilMayEnd({ state, links: [link] }, ending, clock).then((cutsTexts) => ({
    at: Date.now(),
    cutsTexts,
  }));
  await passTime(6000);
  return await ended;
}

test('a room that is quiet is left after a second, and one that does not receive at once', async () => {
  expect(await endOf({})).toEqual({ at: 1000, cutsTexts: false });
  vi.setSystemTime(0);
  expect(await endOf({ state: 'reconnecting' })).toEqual({ at: 0, cutsTexts: false });
});

test('each event begins the second anew, up to 5 s', async () => {
  expect(await endOf({ lastEventAt: () => Math.min(Date.now(), 700) })).toMatchObject({ at: 1700 });
  vi.setSystemTime(0);
  expect(await endOf({ lastEventAt: () => Date.now() })).toMatchObject({ at: 5000 });
});

test('a text stream that is open is waited for, up to 5 s', async () => {
  const { POSITIVE_INFINITY } = Number;
  expect(
    await endOf({ openTextsBegan: () => (Date.now() < 2500 ? 0 : POSITIVE_INFINITY) }),
  ).toMatchObject({ at: 2500 });
  vi.setSystemTime(0);
  expect(await endOf({ openTextsBegan: () => 0 })).toEqual({ at: 5000, cutsTexts: false });
});

// The times are by the clocks of two recorders, which may differ by a second.
test.each([
  [3000, 1000, false],
  [2999, 5000, true],
])(
  'another recorder covers the session since 2 s, and a text began at %i ms: left after %i ms',
  async (began, at, cutsTexts) => {
    expect(await endOf({ coveredSince: 2000, openTextsBegan: () => began })).toEqual({
      at,
      cutsTexts,
    });
  },
);

test('a process that must end at once waits for nothing', async () => {
  expect(await endOf({ cutShort: AbortSignal.abort() })).toEqual({ at: 0, cutsTexts: false });
});
