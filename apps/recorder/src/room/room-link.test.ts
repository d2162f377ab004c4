import { recorderToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { FAST, REAL_CLOCK, TestStage, until } from '../../testing/stage.ts';
import type { ReceivedEvent } from '../message-path.ts';
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
