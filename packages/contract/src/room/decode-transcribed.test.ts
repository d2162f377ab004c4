import { expect, test } from 'vitest';
import { ada, chatOf, echo, messageOf, streamOf } from '../../testing/room-events.ts';

const CHAT = 'lk.chat';
const transcribers = [echo.identity];

test.each([
  ['a transcript of her track', streamOf({ transcribers, isOfTrack: true }), 'user'],
  ['a transcript of no track of hers', streamOf({ transcribers, isOfTrack: false }), 'system'],
  ['a transcript without a track', streamOf({ transcribers }), 'system'],
  ['a text with her track', streamOf({ topic: CHAT, transcribers, isOfTrack: true }), 'system'],
  ['a chat message', chatOf({ transcribers }), 'system'],
  ['a transcript of an agent that left', streamOf({ transcribers: [] }), 'system'],
])('%s that an agent published in a person’s name', (_what, event, role) => {
  const { metadata, ...message } = messageOf(event);
  expect(message.role).toBe(role);
  expect(metadata).toMatchObject({ participant: ada, transcribers: event.transcribers });
});

test('what a person published needs no track, and names no transcriber', () => {
  for (const event of [streamOf(), streamOf({ topic: CHAT }), chatOf()]) {
    const { role, metadata } = messageOf(event);
    expect(role).toBe('user');
    expect(metadata).not.toHaveProperty('transcribers');
  }
});

test('the id is the same, whatever is known of who published it', () => {
  const event = streamOf({ attributes: { 'lk.segment_id': 'SG_1' } });
  expect(messageOf({ ...event, transcribers }).id).toBe(messageOf(event).id);
});
