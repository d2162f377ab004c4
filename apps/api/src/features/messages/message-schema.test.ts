import { Message } from '@session/contract';
import { anyCharacter } from '@session/testing/any-character';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageOf, pageItems, pageJson } from './message-schema.ts';

const time = '2026-11-21T08:00:00.000Z';

/** Without `__proto__`: zod drops this key, but the text keeps it. */
const key = fc.string().filter((name) => name !== '__proto__');

const anyRow = fc.record({
  id: fc.uuid(),
  timestamp: fc.constant(time),
  createdAt: fc.constant(time),
  role: fc.constantFrom('user', 'assistant', 'system'),
  status: fc.constantFrom('pending', 'complete', null),
  content: fc.string({ unit: anyCharacter }),
  metadata: fc.option(fc.dictionary(key, fc.jsonValue()).map((it) => JSON.stringify(it))),
});

test('the text of any messages is the JSON of their shapes', () => {
  const property = fc.property(fc.uuid(), fc.array(anyRow, { maxLength: 3 }), (sessionId, rows) => {
    const answer = JSON.parse(pageJson(pageItems(sessionId, rows), { nextCursor: null }));
    const items = rows.map((row) => Message.strict().parse(messageOf(sessionId, row)));
    expect(answer).toEqual({ items: JSON.parse(JSON.stringify(items)), nextCursor: null });
  });
  fc.assert(property);
});
