import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ada, echo, messageOf } from '../../testing/room-events.ts';
import { anyText } from '../../testing/texts.ts';
import { cleanText } from './clean.ts';
import { encodePacket, type WirePacket } from './wire.ts';

const decodePayload = (packet: WirePacket, sender = ada) =>
  messageOf({ type: 'packet', payload: encodePacket(packet), sender, receivedAt: 1 });

test('a packet is JSON in UTF-8, field by field as given', () => {
  const bytes = encodePacket({ type: 'user_text', data: 'Grüße 👋', id: 'm-1' });
  expect(Buffer.from(bytes).toString()).toBe('{"type":"user_text","data":"Grüße 👋","id":"m-1"}');
});

test('what one client types, every decoder reads', () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => text !== ''),
      fc.uuid({ version: [4, 7] }),
      (data, id) => {
        const message = decodePayload({ type: 'user_text', data, id });
        expect([message.id, message.content]).toEqual([id, cleanText(data)]);
      },
    ),
  );
});

test('a lone surrogate survives encoding as an escape, and cannot break the packet', () => {
  const bytes = encodePacket({ type: 'user_text', data: '\ud83d' });
  expect(Buffer.from(bytes).toString()).toContain(String.raw`\ud83d`);
});

test('a transcript of a person by an agent is the user’s', () => {
  const packet = { type: 'transcript', text: 'Yes', is_final: true, role: 'user' } as const;
  expect(decodePayload(packet, echo)).toMatchObject({ role: 'user', content: 'Yes' });
  expect(decodePayload({ ...packet, role: 'assistant' }, echo).role).toBe('assistant');
});

test('fields of an agent event that the contract does not name travel with it', () => {
  const packet = {
    type: 'complete_todo_list',
    message: '1 of 2',
    steps: [{ done: true }],
  } as const;
  expect(decodePayload(packet, echo).metadata.payload).toEqual(packet);
});
