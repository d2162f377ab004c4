import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/texts.ts';
import { messageIdOf } from './message-id.ts';

interface Vector {
  readonly why: string;
  readonly sessionId: string;
  readonly kind: string;
  readonly rawId: string;
  readonly sender?: string;
  readonly messageId: string;
}

const vectorsFile = new URL('../../message-id-vectors.json', import.meta.url);
const vectors: Vector[] = JSON.parse(await readFile(vectorsFile, 'utf8'));

test('there are fifteen vectors for clients in other languages', () => {
  expect(vectors).toHaveLength(15);
});

test.each(vectors)('the id of $why', ({ sessionId, kind, rawId, sender, messageId }) => {
  expect(messageIdOf(sessionId, kind, rawId, sender)).toBe(messageId);
});

test('the page for client authors shows the same vectors', async () => {
  const page = await readFile(new URL('../../../../docs/message-ids.md', import.meta.url), 'utf8');
  for (const { rawId, messageId } of vectors) {
    expect(page).toContain(`\`${rawId}\``);
    expect(page).toContain(`\`${messageId}\``);
  }
});

const sessionId = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A raw id that is not a UUID: texts of the room, most of them well-formed. */
const plainRawId = anyText.filter((text) => text !== '' && !UUID.test(text.toLowerCase()));

test('an id of the page for client authors is a UUIDv5 made with node:crypto alone', () => {
  fc.assert(
    fc.property(plainRawId, fc.option(plainRawId, { nil: undefined }), (rawId, sender) => {
      const plain = rawId.includes('/') ? `/${rawId}` : rawId;
      const name = sender === undefined ? plain : `${sender}/${rawId}`;
      const expected = uuidv5Of(`${sessionId}:text:${name}`);
      expect(messageIdOf(sessionId, 'text', rawId, sender)).toBe(expected);
    }),
  );
});

test('every message id is a UUID in lower case, whatever the room sends', () => {
  const rawIds = fc.oneof(
    plainRawId,
    fc.uuid(),
    fc.uuid().map((uuid) => uuid.toUpperCase()),
  );
  fc.assert(
    fc.property(rawIds, anyText, anyText, (rawId, kind, sender) => {
      expect(messageIdOf(sessionId, kind, rawId, sender)).toMatch(UUID);
    }),
  );
});

test('a UUID of another version than 5 is the message id in every session, of every kind and sender', () => {
  fc.assert(
    fc.property(
      fc.uuid({ version: [1, 2, 3, 4, 6, 7, 8] }),
      anyText,
      anyText,
      (uuid, kind, sender) => {
        expect(messageIdOf(sessionId, kind, uuid.toUpperCase(), sender)).toBe(uuid);
        expect(messageIdOf(kind, sender, uuid)).toBe(uuid);
      },
    ),
  );
});

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0197a1b2-c3d4-1e5f-8a9b-0c1d2e3f4a5b',
  '0197a1b2-c3d4-8e5f-ba9b-0c1d2e3f4a5b',
])('%s is a UUID, and so the message id itself', (uuid) => {
  expect(messageIdOf(sessionId, 'text', uuid)).toBe(uuid);
});

test.each([
  '0197a1b2-c3d4-0e5f-8a9b-0c1d2e3f4a5b',
  '0197a1b2-c3d4-9e5f-8a9b-0c1d2e3f4a5b',
  '0197a1b2-c3d4-7e5f-7a9b-0c1d2e3f4a5b',
  '0197a1b2-c3d4-7e5f-ca9b-0c1d2e3f4a5b',
  '0197a1b2c3d47e5f8a9b0c1d2e3f4a5b',
  '{0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}',
  ' 0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b\n',
])('%j is no UUID, and the message id is derived from it', (rawId) => {
  expect(messageIdOf(sessionId, 'text', rawId)).toBe(uuidv5Of(`${sessionId}:text:${rawId}`));
});

test('a UUID of version 5 is derived like any text, so nobody can choose an id that was derived', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 5 }), plainRawId, (uuid, rawId) => {
      const taken = messageIdOf(sessionId, 'participant_left', rawId);
      expect(messageIdOf(sessionId, 'text', taken)).not.toBe(taken);
      expect(messageIdOf(sessionId, 'text', uuid, 'ada')).toBe(
        uuidv5Of(`${sessionId}:text:ada/${uuid}`),
      );
    }),
  );
});

test('no packet has the id of a text stream, whatever raw id it brings', () => {
  fc.assert(
    fc.property(plainRawId, fc.constantFrom('ada', 'user-1', 'a/b'), (rawId, sender) => {
      const stream = messageIdOf(sessionId, 'text', rawId, sender);
      expect(messageIdOf(sessionId, 'text', `${sender}/${rawId}`)).not.toBe(stream);
    }),
  );
});

test('one raw id names different messages in two sessions, kinds and of two senders', () => {
  const other = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c';
  fc.assert(
    fc.property(plainRawId, (rawId) => {
      const ids = [
        messageIdOf(sessionId, 'text', rawId),
        messageIdOf(other, 'text', rawId),
        messageIdOf(sessionId, 'transcript', rawId),
        messageIdOf(sessionId, 'transcript', rawId, 'user-1'),
        messageIdOf(sessionId, 'transcript', rawId, 'user-2'),
      ];
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

test('the session id counts in lower case only, a raw id in its own case', () => {
  const upper = sessionId.toUpperCase();
  expect(messageIdOf(upper, 'text', 'm-1')).toBe(messageIdOf(sessionId, 'text', 'm-1'));
  expect(messageIdOf(sessionId, 'text', 'M-1')).not.toBe(messageIdOf(sessionId, 'text', 'm-1'));
});

/** Returns the UUIDv5 of `name` by RFC 9562, section 5.5, without the library that the rule uses. */
function uuidv5Of(name: string): string {
  const namespace = Buffer.from('6f0d7e0c5d0b5c8e9a573b1f6a7d2c41', 'hex');
  const hash = createHash('sha1').update(namespace).update(name, 'utf8').digest();
  hash.writeUInt8((hash.readUInt8(6) % 16) + 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) % 64) + 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
