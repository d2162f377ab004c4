import type { Message } from '@session/contract';
import { expect, test } from 'vitest';
import { compareWithHistory, type SpokenMessage } from './compare-with-history.ts';

const ann = { identity: 'user-1', name: 'Ann' };
const agent = { identity: 'agent-1', name: 'echo-agent' };
const words: SpokenMessage[] = [
  { id: '1', ...ann, isAgent: false, content: 'hello' },
  { id: '2', ...agent, isAgent: true, content: 'You said: hello' },
];
const history: Message[] = [
  stored('j1', ann, 'participant_joined'),
  stored('j2', agent, 'participant_joined'),
  stored('1', ann, 'text', 'user', 'hello'),
  stored('2', agent, 'transcript', 'assistant', 'You said: hello'),
  stored('l1', agent, 'participant_left'),
  stored('l2', ann, 'participant_left'),
];
const good = { said: 1, answered: 1, stored: 2, missing: 0, faults: [] };

test('no fault in a history that has the same ids, words and order, with joins and leaves around', () => {
  expect(compareWithHistory(words, history)).toEqual(good);
});

test('each thing that is wrong is a fault', () => {
  const without = (id: string) => history.filter((message) => message.id !== id);
  const swapped = [0, 1, 3, 2, 4, 5]
    .map((index) => history[index])
    .filter((one) => one !== undefined);
  const other = history.map((one) => (one.id === '2' ? { ...one, content: 'hullo' } : one));
  const early = [0, 1, 5, 2, 3, 4]
    .map((index) => history[index])
    .filter((one) => one !== undefined);
  expect(compareWithHistory(words, without('2'))).toEqual({
    ...good,
    stored: 1,
    missing: 1,
    faults: ['Not stored: You said: hello'],
  });
  expect(compareWithHistory(words.slice(0, 1), without('2'))).toEqual({
    ...good,
    answered: 0,
    stored: 1,
    faults: ['Not answered: hello'],
  });
  const faultsOf = (messages: Message[]) => compareWithHistory(words, messages).faults;
  expect(faultsOf(swapped)).toEqual(['Stored in another order than it was said.']);
  expect(faultsOf(other)).toEqual(['Stored with other words: You said: hello']);
  expect(faultsOf(without('j1'))).toEqual(['Not stored first: Ann joined.']);
  expect(faultsOf(without('l1'))).toEqual(['Not stored last: echo-agent left.']);
  expect(faultsOf(early)).toEqual(['Not stored last: Ann left.']);
  expect(faultsOf([...history, stored('3', ann, 'text', 'user', 'who?')])).toEqual([
    'Stored, but not heard in the room: who?',
    'Not stored last: Ann left.',
  ]);
});

function stored(
  id: string,
  participant: { identity: string; name: string },
  kind: string,
  role: Message['role'] = 'system',
  content = '',
): Message {
  const time = '2026-11-21T08:00:00.000Z';
  return {
    id,
    sessionId: 's',
    content,
    role,
    status: null,
    metadata: { kind, participant },
    timestamp: time,
    createdAt: time,
  };
}
