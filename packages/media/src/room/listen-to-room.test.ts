import { Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import type { RoomEvent } from '@session/contract/room';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, lastText, makeRoomName } from '../../testing/rooms.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { participantOf } from '../sdk-participant.ts';
import { recorderToken, userToken } from '../server/tokens.ts';
import { joinedEvent, listenToRoom } from './listen-to-room.ts';
import { releaseRoom } from './release-room.ts';
import { roomOptions } from './room-options.ts';

/** Listens to a room over a connection of its own. Returns everything that the listener receives. */
async function listen(room: string) {
  quietSdk();
  const server = testMedia();
  const { token } = await recorderToken(server, { room, identity: 'recorder-1' });
  const sdkRoom = new Room();
  const events: RoomEvent[] = [];
  const opened: string[] = [];
  const leaving = new AbortController();
  listenToRoom(sdkRoom, {
    event: (event) => void events.push(event),
    error: (error) => {
      throw error;
    },
    leaving: leaving.signal,
    textStreamOpened: ({ streamId }) => opened.push(streamId),
  });
  await sdkRoom.connect(server.url, token, roomOptions());
  return { sdkRoom, events, opened, [Symbol.asyncDispose]: () => releaseRoom(sdkRoom) };
}

test('a stay is reported as its join, its messages and its leave, under one SID', async () => {
  const room = makeRoomName();
  await using listener = await listen(room);
  const ann = await joinAsUser(testMedia(), room, 'Ann');
  // A packet that is sent at once may overtake the announcement of its sender.
  await expect.poll(() => listener.events).toHaveLength(1);
  await ann.say('hello');
  await ann.sendText('lk.chat', 'goodbye');
  await ann.leave();
  await expect.poll(() => listener.events.at(-1)?.type).toBe('participant_left');
  expect(listener.events.map(({ type }) => type)).toEqual([
    'participant_joined',
    'packet',
    'text_stream',
    'participant_left',
  ]);
  const stays = listener.events.map((event) =>
    'participant' in event ? event.participant : event.sender,
  );
  expect(new Set(stays.map((participant) => participant?.sid)).size).toBe(1);
  expect(stays[0]).toMatchObject({ identity: ann.identity, name: 'Ann', kind: 'standard' });
  expect(listener.events.at(-1)).toMatchObject({ reason: 'CLIENT_INITIATED' });
});

test('the end of a text does not change the segment under which others have seen it begin', async () => {
  const room = makeRoomName();
  await using listener = await listen(room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  const writer = await ann.openText('lk.transcription', { 'lk.segment_id': 'first' });
  await writer.write('words');
  await expect.poll(() => listener.opened).toEqual([writer.streamId]);
  await writer.end({ 'lk.segment_id': 'second', 'lk.transcription_final': 'true' });
  const attributes = { 'lk.segment_id': 'first', 'lk.transcription_final': 'true' };
  await expect.poll(() => lastText(listener.events)).toMatchObject({ text: 'words', attributes });
});

test('a text stream is announced when it begins, before it is reported', async () => {
  const room = makeRoomName();
  await using listener = await listen(room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  const writer = await ann.openText('lk.transcription');
  await writer.write('half');
  await expect.poll(() => listener.opened).toEqual([writer.streamId]);
  expect(listener.events.filter(({ type }) => type === 'text_stream')).toEqual([]);
  await writer.end();
  await expect.poll(() => lastText(listener.events)).toMatchObject({ streamId: writer.streamId });
});

test('a text on another topic is neither announced nor reported', async () => {
  const room = makeRoomName();
  await using listener = await listen(room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  await ann.sendText('my.topic', 'not for the history');
  await ann.sendText('lk.chat', 'for the history');
  await expect.poll(() => lastText(listener.events)).toMatchObject({ text: 'for the history' });
  expect(listener.opened).toHaveLength(1);
  expect(JSON.stringify(listener.events)).not.toContain('not for the history');
});

test('LiveKit’s own chat message is reported with its id, text and sender', async () => {
  const room = makeRoomName();
  await using listener = await listen(room);
  quietSdk();
  const server = testMedia();
  const { token, identity } = await userToken(server, { room, userId: 'ann', name: 'Ann' });
  const ann = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(ann));
  await ann.connect(server.url, token, roomOptions());
  // Announced by an attribute, as joinRoom does, because the SDK drops a chat message from an unknown sender.
  await ann.localParticipant?.setAttributes({ announcedAt: 'now' });
  await expect.poll(() => listener.sdkRoom.remoteParticipants.size).toBe(1);
  const sent = await ann.localParticipant?.sendChatMessage('Hi');
  await expect
    .poll(() => listener.events.find(({ type }) => type === 'chat_message'))
    .toMatchObject({ id: sent?.id, text: 'Hi', sender: { identity, name: 'Ann' } });
});

test('a participant that was in the room before us has a join too, with the server’s time', async () => {
  const room = makeRoomName();
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  await using listener = await listen(room);
  const [first] = listener.sdkRoom.remoteParticipants.values();
  if (!first) throw new Error('Ann is not announced');
  expect(joinedEvent(first)).toMatchObject({
    type: 'participant_joined',
    participant: { ...participantOf(first), identity: ann.identity },
    joinedAt: expect.any(Number),
    reason: null,
  });
});

test('every event of one listener reaches the others of the room as well', async () => {
  const room = makeRoomName();
  await using one = await listen(room);
  const seen: string[] = [];
  one.sdkRoom.on(SdkEvent.DataReceived, (payload) => seen.push(Buffer.from(payload).toString()));
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  await ann.say('hello');
  await expect.poll(() => seen).toHaveLength(1);
  await expect.poll(() => one.events.some(({ type }) => type === 'packet')).toBe(true);
});
