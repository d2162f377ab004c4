import { expect, test } from 'vitest';
import { newestOpenHandover } from './handovers.ts';

const first = { role: 'light-agent', id: '019a9f3c-5b1e-7d42-8a6f-00000000000a' };
const second = { role: 'core-agent', id: '019a9f3c-5b1e-7d42-8a6f-00000000000b' };

function handover(identity: string, payload: object) {
  return { metadata: { kind: 'handover', participant: { identity }, payload } };
}

const ofFirst = handover('agent-light-agent-0000000a', { state: 'requested' });
const ofSecond = handover('agent-core-agent-0000000b', { state: 'requested' });

test('the newest handover of an agent that runs is found behind that of an agent that was killed', () => {
  const messages = [ofFirst, ofSecond];
  expect(newestOpenHandover(messages, [first, second])).toBe(ofSecond);
  expect(newestOpenHandover(messages, [first])).toBe(ofFirst);
  expect(newestOpenHandover(messages, [])).toBeUndefined();
});

test('a handover stays open when that of another agent ends, and not when its own does', () => {
  const endOfFirst = handover('agent-light-agent-0000000a', { state: 'expired' });
  const agents = [first, second];
  expect(newestOpenHandover([ofFirst, ofSecond, endOfFirst], agents)).toBe(ofSecond);
  expect(newestOpenHandover([ofFirst, endOfFirst], agents)).toBeUndefined();
});

test('handovers to other agents and other messages are none to a person', () => {
  const toAgent = handover('agent-light-agent-0000000a', { state: 'requested', to: { name: 'B' } });
  const text = { metadata: { ...ofFirst.metadata, kind: 'text' } };
  const messages = [ofFirst, toAgent, text, { metadata: null }];
  expect(newestOpenHandover(messages, [first, second])).toBe(ofFirst);
});
