import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { validate as isReferenceUuid, v5 as referenceV5, version } from 'uuid';
import { expect, test } from 'vitest';
import { sha1 } from './sha1.ts';
import { isUuid, uuidV5, uuidV7 } from './uuid.ts';

test('SHA-1 of any bytes is what OpenSSL says', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, (message) => {
      const { buffer } = sha1(message);
      expect(Buffer.from(buffer)).toEqual(createHash('sha1').update(message).digest());
    }),
  );
});

test('version 5 of any text and namespace is what the uuid package says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (text, namespace) => {
      expect(uuidV5(text, namespace)).toBe(referenceV5(text, namespace));
    }),
  );
});

test('version 5 of a text of a million bytes is what the uuid package says', () => {
  const text = 'x'.repeat(1_000_000);
  const namespace = '6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41';
  expect(uuidV5(text, namespace)).toBe(referenceV5(text, namespace));
});

test('a UUID is what the uuid package takes for one', () => {
  const nearly = fc
    .tuple(fc.uuid(), fc.nat(35), fc.constantFrom('', '0', '9', 'f', 'g', '-', '\n'))
    .map(([uuid, at, text]) => uuid.slice(0, at) + text + uuid.slice(at + 1));
  const texts = fc.oneof(
    fc.uuid(),
    nearly,
    nearly.map((text) => text.toUpperCase()),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(isUuid(text)).toBe(isReferenceUuid(text));
    }),
  );
  const max = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const nil = '00000000-0000-0000-0000-000000000000';
  expect([max, max.toUpperCase(), nil].map(isUuid)).toEqual([true, true, true]);
});

test('version 7 begins with the time, and no two are the same', () => {
  const before = Date.now();
  const uuids = Array.from({ length: 1000 }, uuidV7);
  const after = Date.now();
  for (const uuid of uuids) {
    expect([isReferenceUuid(uuid), version(uuid)]).toEqual([true, 7]);
    const time = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
    expect(time >= before && time <= after).toBe(true);
  }
  expect(new Set(uuids).size).toBe(uuids.length);
});
