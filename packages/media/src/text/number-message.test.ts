import {
  decodeNumbered,
  type RoomEvent,
  type RoomMessage,
  type TextStreamEvent,
} from '@session/contract/room';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { recordRoom } from '../../testing/record-room.ts';
import { joinAsUser, makeRoomName, untilReached } from '../../testing/rooms.ts';
import { joinRoom } from '../room/join-room.ts';
import type { MediaServer } from '../server/media-server.ts';
import { openRoomService } from '../server/room-service.ts';
import { packetPublicKey, packetVerifier } from '../server/signed-packet.ts';
import { agentToken } from '../server/tokens.ts';
import { SentMessages } from './sent-messages.ts';

const context = { sessionId: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', newId: () => 'none' };

function messagesIn(events: readonly RoomEvent[]): RoomMessage[] {
  return events.flatMap((event) => {
    const decoded = decodeNumbered(event, context);
    return decoded.outcome === 'store' && decoded.message.metadata.seq ? [decoded.message] : [];
  });
}

async function record(server: MediaServer, room: string) {
  const events: RoomEvent[] = [];
  const recorder = await recordRoom(server, room, (event) => void events.push(event));
  return { events, [Symbol.asyncDispose]: () => recorder[Symbol.asyncDispose]() };
}

function sentIn(room: string): SentMessages {
  const isSigned = packetVerifier(packetPublicKey(testMedia()));
  return new SentMessages((packet) => isSigned(room, packet));
}

async function joinAsAgent(
  server: MediaServer,
  room: string,
  sent: SentMessages,
  onEvent: (event: RoomEvent) => void = () => {},
) {
  const { token } = await agentToken(server, {
    room,
    role: 'echo-agent',
    agentId: room.slice(-36),
  });
  return await joinRoom({ url: server.url, token, sent, onEvent });
}

/** Returns what a message that is sent again has in common with the original. */
function originalsOf(messages: readonly RoomMessage[]) {
  return messages.map(({ metadata: { seq, interrupted }, receivedAt: _at, ...message }) => ({
    ...message,
    seq,
    interrupted,
  }));
}

test('what a recorder stores is numbered, and nothing else', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await record(server, room);
  await using agent = await joinAsAgent(server, room, sentIn(room));
  // A packet may overtake the announcement of its sender, and would have none.
  await expect.poll(() => recorder.events).toMatchObject([{ type: 'participant_joined' }]);
  await agent.say('one');
  await agent.sendPacket({ type: 'transcript', text: 'not yet', is_final: false });
  await agent.sendPacket({ type: 'complete_todo_list', message: 'two' });
  await agent.sendPacket({ type: 'user_text', data: '' });
  await agent.sendPacket({ type: 'tts_start' });
  await agent.sendText('other.topic', 'Hi');
  const text = await agent.openText('lk.transcription', { 'lk.segment_id': 'SG_1' });
  await text.write('three');
  await text.end({ 'session.interrupted': 'true' });
  await agent.sendText('lk.chat', 'four');
  await expect.poll(() => messagesIn(recorder.events)).toHaveLength(4);
  const numbers = messagesIn(recorder.events).map(
    ({ content, metadata }) => `${metadata.seq?.n} ${content}`,
  );
  expect(new Set(numbers)).toEqual(new Set(['1 one', '2 two', '3 three', '4 four']));
});

test('what a recorder did not hear is sent again to recorders alone, as the same messages', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const heard: RoomEvent[] = [];
  const onEvent = (event: RoomEvent) => void heard.push(event);
  await using ann = await joinAsUser(server, room, 'Ann', { onEvent });
  const sent = sentIn(room);
  const events: RoomEvent[] = [];
  await using agent = await joinAsAgent(server, room, sent, (event) => void events.push(event));
  // A packet may overtake the announcement of its sender, and would have none.
  await expect.poll(() => ann.participants).toHaveLength(1);
  await agent.say('one');
  const text = await agent.openText('lk.transcription', { 'lk.segment_id': 'SG_1' });
  for (const word of ['two', ' and', ' a half']) await text.write(word);
  await text.end({ 'session.interrupted': 'true' });
  await expect.poll(() => messagesIn(heard)).toHaveLength(2);
  const [first] = messagesIn(heard);
  const { q = '' } = first?.metadata.seq ?? {};
  await using recorder = await record(server, room);
  await untilReached(server, room, { identity: agent.identity, events });
  const rooms = openRoomService(server);
  await rooms.askAgain(room, agent.identity, q, [1, 2, 3]);
  await expect.poll(() => messagesIn(recorder.events)).toHaveLength(2);
  const again = messagesIn(recorder.events);
  expect(originalsOf(again)).toEqual(originalsOf(messagesIn(heard)));
  expect(again.map(({ metadata }) => metadata.resent)).toEqual([true, true]);
  await agent.say('three');
  await expect.poll(() => messagesIn(heard)).toHaveLength(3);
  const streams = heard.filter((event): event is TextStreamEvent => event.type === 'text_stream');
  expect(streams.map(({ topic }) => topic)).toEqual(['lk.transcription']);
});

test('a text that cannot be opened takes no number', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const sent = sentIn(room);
  const left = await joinAsAgent(server, room, sent);
  await left.leave();
  await expect(left.openText('lk.chat')).rejects.toMatchObject({ code: 'media_unavailable' });
  expect(sent.number('lk.chat', 'next').seq.n).toBe(1);
});
