import { expect, test } from 'vitest';
import { endSentences, isBadEnd } from './agent-end.ts';

const stopped = { status: 'Stopped', reason: 'requested', detail: null, exitCode: null } as const;

test('an agent that runs has no end', () => {
  expect(endSentences({ ...stopped, status: 'Running', reason: null })).toBeNull();
});

test('a reason and its detail are whole sentences', () => {
  const detail = 'The log says what is wrong';
  expect(endSentences({ ...stopped, reason: 'out_of_memory', detail })).toBe(
    'It needed more memory than it may have. The log says what is wrong.',
  );
  expect(endSentences({ ...stopped, reason: 'crashed', exitCode: 137 })).toBe(
    'Its program crashed with exit code 137.',
  );
});

test('a detail that says the reason itself is not said twice', () => {
  const detail = 'Its configuration is refused: its log says what is wrong.';
  expect(endSentences({ ...stopped, reason: 'bad_configuration', detail })).toBe(detail);
});

test('an unknown reason of a newer API has its name', () => {
  expect(endSentences({ ...stopped, reason: 'sun_flare' })).toBe('Stopped: sun_flare.');
  expect(endSentences({ ...stopped, reason: null })).toBe('Stopped.');
});

test('only an unexpected end needs a look', () => {
  expect(isBadEnd(stopped)).toBe(false);
  expect(isBadEnd({ ...stopped, reason: 'session_closed' })).toBe(false);
  expect(isBadEnd({ ...stopped, reason: 'sun_flare' })).toBe(true);
  expect(isBadEnd({ status: 'Running', reason: 'lost' })).toBe(false);
});
