import { once } from 'node:events';
import { Room, RoomEvent, SimulateScenarioKind } from '@livekit/rtc-node';
import { openRoomService, recorderToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { FAST, REAL_CLOCK, TestStage, until } from '../../testing/stage.ts';
import type { ReceivedEvent } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import { RoomLink } from './room-link.ts';

test('an early event names the participants who were announced when it came, not when it is delivered', async () => {
  await using stage = await TestStage.open();
  const room = uuidv7();
  const { url } = stage.media;
  const { token } = await recorderToken(stage.media, { room, identity: 'recorder-1' });
  const link = await RoomLink.connect(
    { url, token, timeoutMs: FAST.connectMs, clock: REAL_CLOCK },
    () => {},
  );
  await using stack = new AsyncDisposableStack();
  stack.defer(() => link.leave());
  const foreigner = await stage.joinAsForeigner(room);
  const before = link.lastEventAt;
  await foreigner.publishData(new Uint8Array([1]), { reliable: true });
  await until(() => link.lastEventAt > before);
  await foreigner.setAttributes({ known: 'by now' });
  await until(() => link.roster().length === 1);
  const received: ReceivedEvent[] = [];
  link.deliver({
    receive: (event) => received.push(event),
    receiveBegin: () => {},
    receiveEnd: () => {},
    receiveTrack: () => {},
  });
  const packet = received.find(({ event }) => event.type === 'packet');
  expect(packet).toMatchObject({ event: { sender: null }, isConnected: true });
  expect(packet?.announced).toEqual(new Set());
});

test('a recorder joins a room on this machine although HTTP_PROXY names a proxy', async () => {
  await using stage = await TestStage.open();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => void vi.unstubAllEnvs());
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  const { url } = stage.media;
  const { token } = await recorderToken(stage.media, { room: uuidv7(), identity: 'recorder-1' });
  const link = await RoomLink.connect(
    { url, token, timeoutMs: FAST.connectMs, clock: REAL_CLOCK },
    () => {},
  );
  stack.defer(() => link.leave());
  expect(link.state).toBe('up');
});

/** Connects a recorder to a new room, and returns the room of the SDK, and the proof that it receives. */
async function openLink(stage: TestStage, clock: Clock) {
  using connects = vi.spyOn(Room.prototype, 'connect');
  const room = uuidv7();
  const { url } = stage.media;
  const { token } = await recorderToken(stage.media, { room, identity: 'recorder-1' });
  const link = await RoomLink.connect({ url, token, timeoutMs: FAST.connectMs, clock }, () => {});
  const rooms = openRoomService(stage.media);
  const { signal } = new AbortController();
  const prove = async () =>
    await link.proveReceiving(
      (identity, packet) => rooms.sendPacketTo(room, identity, packet),
      FAST.connectMs,
      signal,
    );
  const [sdkRoom] = connects.mock.contexts;
  if (!(sdkRoom instanceof Room)) throw new Error('no room was joined');
  return { link, sdkRoom, prove };
}

test.each([
  ['a full reconnect begins', SimulateScenarioKind.SIMULATE_FULL_RECONNECT, true],
  ['a resume does not begin', SimulateScenarioKind.SIMULATE_SIGNAL_RECONNECT, false],
])('%s a connection that receives nothing from before it', async (_, scenario, isNew) => {
  await using stage = await TestStage.open();
  await using stack = new AsyncDisposableStack();
  const { link, sdkRoom, prove } = await openLink(stage, REAL_CLOCK);
  stack.defer(() => link.leave());
  await prove();
  const { beganAt } = link;
  const reconnecting = once(sdkRoom, RoomEvent.Reconnecting).then(() => REAL_CLOCK.now());
  const reconnected = once(sdkRoom, RoomEvent.Reconnected);
  await sdkRoom.simulateScenario(scenario);
  await reconnected;
  expect(await prove()).toBe(true);
  expect(link.beganAt > beganAt).toBe(isNew);
  expect(link.beganAt).toBeLessThanOrEqual(await reconnecting);
});

test.each([
  ['within 2 s counts as lossless', [1999], true],
  ['that took longer may have lost something', [2000], false],
  ['that succeeds the second time counts from its beginning', [1000, 1000], false],
])('a resume on the same transport %s', async (_, resumesMs, isLossless) => {
  await using stage = await TestStage.open();
  await using stack = new AsyncDisposableStack();
  let now = Date.now();
  const { link, sdkRoom, prove } = await openLink(stage, { now: () => now });
  stack.defer(() => link.leave());
  expect([await prove(), link.isLossless]).toEqual([true, false]);
  for (const resumeMs of resumesMs) {
    sdkRoom.emit(RoomEvent.Reconnecting);
    now += resumeMs;
    sdkRoom.emit(RoomEvent.Reconnected);
  }
  expect([await prove(), link.isLossless]).toEqual([true, isLossless]);
});
