import { randomUUID } from 'node:crypto';
import type { Participant, RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { Inbox } from './inbox.ts';

const STATE = { 'lk.agent.state': 'listening' };
const ann = participant('user-ann', 'Ann', 'standard');
/** An agent of LiveKit's framework, and one of ours that does not converse. */
const foreign = { ...participant('agent-AJ_x', 'Helper', 'agent'), attributes: STATE };
const echo = { ...participant('agent-echo-agent-1', 'echo-agent', 'agent'), attributes: {} };
const later = { ...participant('agent-zz', 'Zed', 'agent'), attributes: STATE };

test.each([
  ['alone', [], 'Hello', true],
  ['beside an echo agent', [echo], 'Hello', true],
  ['beside an agent with a higher identity', [later], 'Hello', true],
  ['beside an agent with a lower identity', [foreign], 'Hello', false],
  ['where the text names it', [foreign], 'light agent, hello', true],
  ['where the text names it as LiveKit shows it', [foreign], 'Hello @Light-Agent!', true],
  ['where the text names another one', [later], 'Zed: hello', false],
  ['where the text names both', [foreign], 'light-agent and Helper, hello', false],
  ['where a name is only a part of a word', [foreign], 'my light-agents', false],
])(
  'an agent %s, as one of several, answers or leaves it to the other',
  (_, others, text, isOurs) => {
    const { inbox, overheard } = open(others);
    inbox.receive(said(text));
    expect(inbox.hasWork).toBe(isOurs);
    expect(overheard).toEqual(isOurs ? [] : [text]);
  },
);

test('what another agent has not answered when it leaves is answered, and only then', () => {
  for (const [isAnswered, reason] of [
    [false, 'CLIENT_INITIATED'],
    [true, 'CLIENT_INITIATED'],
    // A false leave: the media client reports one for each participant when it reconnects.
    [false, null],
  ] as const) {
    const { inbox, overheard } = open([foreign]);
    inbox.receive(said('Hello'));
    if (isAnswered) inbox.receive(answerOf(foreign, 'Hi Ann'));
    inbox.receive(left(foreign, reason));
    expect(inbox.hasWork).toBe(!isAnswered && reason !== null);
    expect(inbox.takeAll()).toEqual([]);
    expect(overheard).toEqual(isAnswered ? ['Hello', 'answer: Hi Ann'] : ['Hello']);
  }
});

test('answers of agents are never taken for texts of people, and those of an echo agent are not remembered', () => {
  const { inbox, overheard } = open([foreign, echo]);
  inbox.receive(answerOf(echo, 'You said: Hello'));
  inbox.receive(answerOf(foreign, 'light-agent, what do you think?'));
  expect(inbox.hasWork).toBe(false);
  expect(overheard).toEqual(['answer: light-agent, what do you think?']);
});

function open(others: readonly (Participant & { readonly attributes: object })[]) {
  const overheard: string[] = [];
  const inbox = new Inbox({
    sessionId: randomUUID(),
    stored: undefined,
    overhear: ({ text }) => void overheard.push(text),
    overhearAnswer: (text) => void overheard.push(`answer: ${text}`),
  });
  const participants = others.map((one) => ({
    ...one,
    sid: one.identity,
    attributes: { ...one.attributes },
  }));
  inbox.use({ identity: 'agent-light-agent-1', name: 'light-agent', participants });
  return { inbox, overheard };
}

function participant(identity: string, name: string, kind: string): Participant {
  return { identity, name, kind, sid: identity };
}

function said(text: string): RoomEvent {
  const packet = { type: 'user_text', data: text, id: randomUUID() };
  const payload = new TextEncoder().encode(JSON.stringify(packet));
  return { type: 'packet', payload, sender: ann, receivedAt: Date.now() };
}

function answerOf(sender: Participant, text: string): RoomEvent {
  const stream = { topic: 'lk.transcription', streamId: randomUUID(), attributes: {} };
  const received = { sentAt: null, receivedAt: Date.now(), hasEnded: true };
  return { type: 'text_stream', ...stream, ...received, text, sender };
}

function left(agent: Participant, reason: string | null): RoomEvent {
  const event = {
    type: 'participant_left',
    joinedAt: null,
    reason,
    receivedAt: Date.now(),
  } as const;
  return { ...event, participant: { ...agent, sid: agent.identity } };
}
