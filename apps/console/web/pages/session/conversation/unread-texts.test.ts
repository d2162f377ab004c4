import { expect, test } from 'vitest';
import { type TextReader, unreadTexts } from './unread-texts.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

const text = (second: number, deliveredTo: readonly string[] | null = []) => ({
  key: `text ${second}`,
  role: 'user' as const,
  participant: { identity: 'user-1', name: 'Ada', sid: null, kind: 'standard' },
  timestamp: at(second),
  deliveredTo,
});

const answer = (second: number, identity = 'agent-light-agent-6b7c8d9e') => ({
  ...text(second, null),
  role: 'assistant' as const,
  participant: { identity, name: 'light-agent', sid: null, kind: 'agent' },
});

const light = (second: number, part: Partial<TextReader> = {}): TextReader => ({
  title: 'Light agent',
  identityEnd: '6b7c8d9e',
  createdAt: at(second),
  readsTexts: true,
  isStopped: false,
  ...part,
});

const NO_AGENT = 'No agent read this. Start an agent, and say it again.';
const LATE = 'No agent read this. Say it again: Light agent has come since.';

test.each<[string, Parameters<typeof unreadTexts>, Record<string, string>]>([
  ['no agent is there', [[text(1)], []], { 'text 1': NO_AGENT }],
  [
    'several texts: the newest one says what to do',
    [[text(1), text(2)], []],
    { 'text 1': 'No agent read this.', 'text 2': NO_AGENT },
  ],
  ['an agent read it, or nobody knows', [[text(1, ['agent-1']), text(2, null)], []], {}],
  [
    'an agent is starting that was asked for before',
    [[text(2)], [light(1)]],
    { 'text 2': 'No agent has read this yet. Light agent answers it as soon as it can.' },
  ],
  ['that agent has answered', [[text(2), answer(3)], [light(1)]], {}],
  ['it has stopped since', [[text(2), answer(3)], [light(1, { isStopped: true })]], {}],
  [
    'it has stopped without an answer',
    [[text(2)], [light(1, { isStopped: true })]],
    { 'text 2': NO_AGENT },
  ],
  ['an agent came later', [[text(2)], [light(3)]], { 'text 2': LATE }],
  ['an agent came later, and greets', [[text(2), answer(4)], [light(3)]], { 'text 2': LATE }],
  [
    'the agent does not read, and speaks',
    [[text(2), answer(3)], [light(1, { readsTexts: false, title: 'Voice agent' })]],
    {
      'text 2':
        'No agent read this. Voice agent does not read texts: talk to it, or start another agent.',
    },
  ],
  [
    'another agent speaks',
    [[text(2), answer(3, 'agent-other-00000000')], []],
    { 'text 2': NO_AGENT },
  ],
])('what a text says that no agent read: %s', (_, given, expected) => {
  expect(Object.fromEntries(unreadTexts(...given))).toEqual(expected);
});
