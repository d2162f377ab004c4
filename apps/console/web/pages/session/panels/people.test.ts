import type { RoomParticipant } from '@session/client/browser';
import { expect, test } from 'vitest';
import { peopleOf } from './people.ts';

const ada: RoomParticipant = {
  identity: 'user-a-1',
  sender: 'user-a',
  name: 'Ada',
  kind: 'user',
  isLocal: true,
  isSpeaking: false,
  isMuted: true,
  agentState: null,
};

test('two tabs of one person are one entry, which speaks when one of them does', () => {
  const ben = { ...ada, identity: 'user-b-1', sender: 'user-b', name: 'Ben', isLocal: false };
  const other = { ...ada, identity: 'user-a-2', isLocal: false, isSpeaking: true, isMuted: false };
  expect(peopleOf([ada, ben, other])).toEqual([{ ...ada, isSpeaking: true, isMuted: false }, ben]);
});
