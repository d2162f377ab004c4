import { expect, test } from 'vitest';
import { senderName } from './sender-name.ts';

test.for([
  [{ participant: { name: 'Ada', identity: 'user-1' } }, 'user', 'Ada'],
  [{ participant: { name: '', identity: 'user-1' } }, 'user', 'user-1'],
  [{ participant: { name: 'echo-agent', identity: 'agent-1' } }, 'assistant', 'Echo agent'],
  [{ participant: null, candidates: ['a', 'b'] }, 'user', 'A person'],
  [{ participant: { name: 1 } }, 'assistant', 'An agent'],
  [null, 'assistant', 'An agent'],
] as const)('%j of a %s: %s', ([metadata, role, name]) => {
  expect(senderName({ metadata, role })).toBe(name);
});
