import { startMediaServer, testMedia } from '@session/testing';
import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import {
  joinAsRecorder,
  joinAsUser,
  lastText,
  makeRoomName,
  packetsIn,
} from '../../testing/rooms.ts';
import { sdkInternals } from '../sdk-internals.ts';
import { openRoomService } from '../server/room-service.ts';

test('a packet has the given id, else a UUIDv7, and sending returns the id', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  const said = await ann.say('hello');
  expect([validate(said), version(said)]).toEqual([true, 7]);
  expect(await ann.sendPacket({ type: 'transcript', id: 'mine' })).toBe('mine');
  await expect
    .poll(() => packetsIn(recorder.events))
    .toEqual([
      { type: 'user_text', data: 'hello', id: said },
      { type: 'transcript', id: 'mine' },
    ]);
});

test('a RangeError for a packet that no receiver would get', async () => {
  const server = testMedia();
  await using ann = await joinAsUser(server, makeRoomName(), 'Ann');
  await expect(ann.say('é'.repeat(31_500))).rejects.toThrow(RangeError);
  await ann.say('é'.repeat(31_450));
});

test('all packets sent before leaving arrive, the last one too', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  // Enough to fill the buffers: without waiting for them, most packets are lost.
  await using ann = await joinAsUser(server, room, 'Ann');
  const ids: string[] = [];
  for (let count = 0; count < 30; count += 1) ids.push(await ann.say('x'.repeat(60_000)));
  const last = ann.say('goodbye');
  await ann.leave();
  ids.push(await last);
  await expect
    .poll(() => packetsIn(recorder.events).map((packet) => Object(packet).id))
    .toEqual(ids);
});

test('leaving waits for the end of an open text, and then nothing more can be sent', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await using other = await joinAsUser(server, makeRoomName(), 'Ben');
  const text = await ann.openText('lk.transcription', { 'lk.segment_id': 's1' });
  await text.write('Let me ');
  const leaving = ann.leave();
  await expect(ann.say('and another thing')).rejects.toMatchObject({ code: 'media_unavailable' });
  // This takes as long as leaving does.
  await other.say('hello');
  await other.leave();
  await text.write('finish.');
  await text.end();
  await leaving;
  expect(await ann.closed).toBe('CLIENT_INITIATED');
  // Ann's leave may be reported after her text.
  await expect
    .poll(() => recorder.events.find(({ type }) => type === 'text_stream'))
    .toMatchObject({
      topic: 'lk.transcription',
      attributes: { 'lk.segment_id': 's1' },
      streamId: text.streamId,
      text: 'Let me finish.',
      hasEnded: true,
      sender: { identity: ann.identity, name: 'Ann' },
    });
});

test('a whole text arrives with its topic and stream id, also a long one', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  const text = 'é'.repeat(100_000);
  const streamId = await ann.sendText('lk.chat', text);
  const event = { type: 'text_stream', topic: 'lk.chat', streamId, text, hasEnded: true };
  await expect.poll(() => lastText(recorder.events)).toMatchObject(event);
});

test('a text is incomplete when its receiver leaves in the middle of it', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await using text = await ann.openText('lk.chat');
  await text.write('half a');
  // Streams of one sender arrive in order: when this text has arrived, the beginning of the other text has arrived too.
  await ann.sendText('lk.chat', 'whole');
  await expect
    .poll(() => lastText(recorder.events))
    .toMatchObject({ text: 'whole', hasEnded: true });
  await recorder.joined.leave();
  await expect.poll(() => lastText(recorder.events)).toMatchObject({ hasEnded: false });
});

test('a text is incomplete when its sender is gone before its end', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  const text = await ann.openText('lk.chat');
  await text.write('half a');
  // When this text has arrived, the beginning of the other text has too. This matters because the server does not wait
  // for data in transit.
  await ann.sendText('lk.chat', 'whole');
  await expect.poll(() => lastText(recorder.events)).toMatchObject({ text: 'whole' });
  await openRoomService(server).removeParticipant(room, ann.identity);
  expect(await ann.closed).toBe('PARTICIPANT_REMOVED');
  await expect(text.write(' sentence')).rejects.toMatchObject({ code: 'media_unavailable' });
  await text.end();
  await expect(ann.say('hello?')).rejects.toMatchObject({ code: 'media_unavailable' });
  await expect
    .poll(() => recorder.events.slice(-2))
    .toMatchObject([
      { text: 'half a', hasEnded: false, sender: { name: 'Ann' } },
      { type: 'participant_left', reason: 'PARTICIPANT_REMOVED' },
    ]);
});

test('a room that the server ended leaves no listener behind', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const { client } = sdkInternals();
  const others = client.listeners('ffi_event');
  const ann = await joinAsUser(server, room, 'Ann');
  const listOwn = () => client.listeners('ffi_event').filter((one) => !others.includes(one));
  // One more listener waits for the answer to the announcement, until the answer arrives or counts as lost.
  await expect.poll(listOwn).toHaveLength(1);
  const own = listOwn();
  await openRoomService(server).deleteRoom(room);
  expect(await ann.closed).toBe('ROOM_DELETED');
  await ann.leave();
  expect(client.listeners('ffi_event')).not.toContain(own[0]);
});

test('leaving does not hang on a server that is frozen', async () => {
  await using server = await startMediaServer();
  const ann = await joinAsUser(server, makeRoomName(), 'Ann');
  process.kill(server.pid, 'SIGSTOP');
  await ann.leave();
  expect(await ann.closed).toBe('CLIENT_INITIATED');
});
