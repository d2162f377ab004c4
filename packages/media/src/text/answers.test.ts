import { ANSWERS_ATTRIBUTE, type RoomMessage } from '@session/contract/room';
import { expect, test } from 'vitest';
import { answersOf, digestOf, readAnswers } from './answers.ts';

const ID = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d';
const DERIVED = '9309bb4b-54bc-5cbe-8e8e-67193e305c16';

function text(rawId: string | null, content = 'Hello'): RoomMessage {
  const kind = 'text';
  return {
    id: ID,
    sessionId: ID,
    role: 'user',
    status: 'complete',
    kind,
    content,
    metadata: { kind, participant: null, source: 'user_text', rawId },
    receivedAt: 1000,
  };
}

const read = (rawId: string | null) => readAnswers(answersOf([text(rawId)], 1500));

test('a text is read as it was named: by its id, without an id, and by the id under which the API sends it again', () => {
  const named = { id: ID, isNameless: false, storedId: undefined };
  const rest = { digest: digestOf('Hello'), ageMs: 500 };
  expect(read(ID)).toEqual([{ ...named, ...rest }]);
  expect(read('m-1')).toEqual([{ ...named, ...rest }]);
  expect(read(null)).toEqual([{ ...named, ...rest, isNameless: true }]);
  expect(read(DERIVED)).toEqual([{ ...named, ...rest, storedId: DERIVED }]);
});

test('an answer to nothing has no attribute; of many texts the newest 20 are named, in less than a packet', () => {
  expect(answersOf([])).toEqual({});
  const attributes = answersOf(Array.from({ length: 500 }, () => text(DERIVED)));
  expect(readAnswers(attributes)).toHaveLength(20);
  expect(JSON.stringify(attributes).length).toBeLessThan(50_000);
});

test.each([
  '',
  'x',
  'null',
  '{}',
  '[null, 1, {"id": "x"}]',
  '[{"id": "m-1", "digest": "", "ageMs": 0}]',
])('what another agent may write names nothing: %s', (json) => {
  expect(readAnswers({ [ANSWERS_ATTRIBUTE]: json })).toEqual([]);
});
