import { recorderToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { FAST, TestStage, until } from '../../testing/test-stage.ts';
import { type Heard, RoomLink } from './room-link.ts';

test('an early event says who was announced when it came, not when it is handed over', async () => {
  await using stage = await TestStage.open();
  const room = uuidv7();
  const { url } = stage.media;
  const { token } = await recorderToken(stage.media, { room, identity: 'recorder-1' });
  const link = await RoomLink.connect({ url, token, timeoutMs: FAST.connectMs }, () => {});
  await using stack = new AsyncDisposableStack();
  stack.defer(() => link.leave());
  const foreigner = await stage.joinAsForeigner(room);
  const before = link.lastEventAt;
  await foreigner.publishData(new Uint8Array([1]), { reliable: true });
  await until(() => link.lastEventAt > before);
  await foreigner.setAttributes({ known: 'by now' });
  await until(() => link.roster().length === 1);
  const heard: Heard[] = [];
  link.deliver((one) => heard.push(one));
  const packet = heard.find(({ event }) => event.type === 'packet');
  expect(packet).toMatchObject({ event: { sender: null }, isSound: true });
  expect(packet?.announced).toEqual(new Set());
});
