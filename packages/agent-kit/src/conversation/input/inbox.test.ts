import { randomUUID } from 'node:crypto';
import type { Participant, RoomEvent } from '@session/contract/room';
import type { StoredConversation } from '@session/conversation';
import { describe, expect, test } from 'vitest';
import { Inbox } from './inbox.ts';
import { responderAttributes } from './responder.ts';

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
  ['beside an agent of another framework with a lower identity', [foreign], 'Hello', false],
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

const NAMED = { 'session.answers-to': 'Front desk' };
const started = (id: string) => ({ 'session.agent': id });
const elder = { ...later, attributes: { ...STATE, ...started('1') } };
const desk = { ...foreign, attributes: { ...STATE, ...NAMED } };
const SALES = responderAttributes('1', { name: 'Sales' });
const sales = { ...later, attributes: { ...STATE, ...SALES } };
const EUROPE = responderAttributes('2', { name: 'Sales Europe' });
const europe = { ...later, attributes: { ...STATE, ...EUROPE } };

test.each([
  ['was started before the others', started('1'), [foreign, later], 'Hello', true],
  ['was started after another one', started('2'), [foreign, elder], 'Hello', false],
  ['is beside one that answers by its name', started('2'), [desk], 'Hello', true],
  ['is beside one that the text names', started('2'), [desk], 'Front desk, hello', false],
  [
    'was started before one with whose name the text begins',
    started('0'),
    [sales],
    '@Sales: hello',
    false,
  ],
  ['was started before one whose name is in the text', started('0'), [sales], 'My sales', true],
  ['has half of the name with which the text begins', SALES, [europe], 'Sales Europe: hi', false],
  [
    'is named in a text that begins with the name of another one',
    { ...NAMED, ...started('0') },
    [sales],
    'Sales, is the front desk open?',
    false,
  ],
  [
    'has the name with which the text begins',
    { ...SALES, ...started('9') },
    [elder],
    'sales, hi',
    true,
  ],
  ['knows its template, and is not named', SALES, [desk], 'Hello', true],
  ['answers by its name alone', NAMED, [], 'Hello', false],
  ['answers by the name that the text has', NAMED, [elder], 'Hello @front-desk', true],
])('an agent that %s knows what it answers', (_, attributes, others, text, isOurs) => {
  const { inbox, overheard } = open(others, undefined, attributes);
  inbox.receive(said(text));
  expect(inbox.hasWork).toBe(isOurs);
  expect(overheard).toEqual(isOurs ? [] : [text]);
});

test('a successor answers in the place of its first predecessor, though its template says: named', () => {
  const place = responderAttributes('3', { name: 'Sales', isNamedOnly: true }, '1');
  const second = { ...elder, attributes: { ...STATE, ...started('2') } };
  const { inbox: own } = open([second], undefined, place);
  own.receive(said('What does it cost?'));
  expect(own.takeAll()).toHaveLength(1);
  own.receive(said('Zed, are you there?'));
  expect(own.hasWork).toBe(false);
  own.receive(said('Sales, are you there?'));
  expect(own.hasWork).toBe(true);
  const successor = { ...foreign, attributes: { ...STATE, ...place } };
  const { inbox } = open([elder, successor], undefined, started('2'));
  inbox.receive(said('To the predecessor'));
  inbox.receive(answerOf(successor, 'Five.'));
  inbox.receive(left(elder, 'CLIENT_INITIATED'));
  inbox.receive(left(successor, 'CLIENT_INITIATED'));
  expect(inbox.hasWork).toBe(false);
});

describe('spoken words', () => {
  const hears = (agent: typeof elder | typeof foreign, isHearing = true) => ({
    ...agent,
    attributes: { ...agent.attributes, 'session.hearing': String(isHearing) },
  });
  const younger = { ...later, attributes: { ...STATE, ...started('3') } };
  const hearing = { isHearing: true };
  const lost = { isHearing: false };

  test.each([
    ['hears, beside an elder that hears', hearing, [hears(elder)], 'Hello', false],
    ['hears, beside an elder without hearing', hearing, [elder], 'Hello', true],
    ['hears, beside an elder whose hearing has failed', hearing, [hears(elder, false)], 'Hi', true],
    ['hears, beside one without hearing that is named', hearing, [elder], 'Zed, hello', true],
    ['has lost it, beside a younger one that hears', lost, [hears(younger)], 'Hi', false],
    ['has lost it, as a younger one has', lost, [hears(younger, false)], 'Hi', true],
    ['has lost it, as an elder has', lost, [hears(elder, false)], 'Hi', false],
    ['has lost it, beside an elder without hearing', lost, [elder], 'Hi', true],
    ['has lost it, beside one that hears its name alone', lost, [hears(desk)], 'Hi', true],
    [
      'hears again, where one answers only to its name and an elder has lost its hearing',
      hearing,
      [hears(desk), hears(elder, false)],
      'Hi',
      true,
    ],
    ['has lost it, beside one that hears its name', lost, [hears(desk)], 'Front desk?', false],
    ['hears, beside one of another framework that is named', hearing, [foreign], 'Helper?', false],
    ['hears, beside one that shows that it does not', hearing, [hears(foreign, false)], 'Hi', true],
  ])('are answered or left by an agent that %s', (_, { isHearing }, others, text, isOurs) => {
    const { inbox, overheard } = open(others, undefined, started('2'), isHearing);
    inbox.add({ text: { text }, saidAt: 0 });
    expect(inbox.hasWork).toBe(isOurs);
    expect(overheard).toEqual(isOurs ? [] : [text]);
  });

  test('that an agent left unanswered are not left to the next one if that does not hear', () => {
    const second = { ...later, identity: 'agent-y', attributes: { ...STATE, ...started('2') } };
    const { inbox } = open([hears(elder), second], undefined, started('3'), true);
    inbox.add({ text: { text: 'Hello' }, saidAt: 0 });
    inbox.receive(left(elder, 'CLIENT_INITIATED'));
    expect(inbox.hasWork).toBe(true);
  });
});

test('the words of an operator are never answered, even those that come after the operator has left', () => {
  const identity = `user-${randomUUID()}-operator-0a1b2c`;
  const { inbox, overheard } = open([]);
  inbox.add({ text: { text: 'Bye', identity }, saidAt: 0 });
  expect([inbox.hasWork, overheard]).toEqual([false, ['Bye']]);
});

test('an agent that answers by its name alone owes what had its name in the room', () => {
  const message = { id: randomUUID(), identity: ann.identity, content: '@light-agent hi' };
  const asked = { messages: [message], at: new Date().toISOString() };
  const conversation = { history: [], answered: [], unanswered: asked, plans: [], calls: [] };
  expect(open([], conversation, NAMED).inbox.hasWork).toBe(true);
});

test('an agent that answers by its name alone leaves no text behind for others, and takes none', () => {
  const message = { id: randomUUID(), identity: ann.identity, content: 'Hi' };
  const asked = { messages: [message], at: new Date().toISOString() };
  const conversation = { history: [], answered: [], unanswered: asked, plans: [], calls: [] };
  expect(open([], conversation, NAMED).inbox.hasWork).toBe(false);
  expect(open([desk], conversation).inbox.hasWork).toBe(true);
  const { inbox } = open([elder], undefined, NAMED);
  inbox.receive(said('Hello'));
  inbox.receive(left(elder, 'CLIENT_INITIATED'));
  expect(inbox.hasWork).toBe(false);
});

test('what another agent has not answered when it leaves is answered, and only then', () => {
  for (const [isAnswered, reason] of [
    [false, 'CLIENT_INITIATED'],
    [true, 'CLIENT_INITIATED'],
    // A false leave: the media client reports one for each participant when it reconnects.
    [false, null],
  ] as const) {
    const { inbox, overheard } = open([foreign]);
    inbox.receive(said('Hello'));
    // Ends an answer to an earlier text.
    inbox.receive(answerOf(foreign, 'Well', { 'session.interrupted': 'true' }));
    if (isAnswered) inbox.receive(answerOf(foreign, 'Hi Ann'));
    inbox.receive(left(foreign, reason));
    expect(inbox.hasWork).toBe(!isAnswered && reason !== null);
    expect(inbox.takeAll()).toEqual([]);
    expect(overheard).toEqual(['Hello', 'answer: Well', ...(isAnswered ? ['answer: Hi Ann'] : [])]);
  }
});

describe('what was said before an agent came', () => {
  const message = { id: randomUUID(), identity: ann.identity, content: 'Hi' };
  const asked = { messages: [message], at: new Date().toISOString() };
  const conversation = { history: [], answered: [], unanswered: asked, plans: [], calls: [] };

  test.each([
    ['is answered by it when it is alone', [], true],
    ['is answered by it when only an echo agent was there', [echo], true],
    ['is left to an agent that was there', [later], false],
  ])('%s', (_, others, isOurs) => {
    const { inbox, overheard } = open(others, conversation);
    expect(inbox.hasWork).toBe(isOurs);
    inbox.takeAll();
    inbox.receive(said('Hello again', { missed: true }));
    expect(inbox.hasWork).toBe(isOurs);
    expect(overheard).toEqual(isOurs ? [] : ['Hello again']);
    inbox.receive(said('And now?'));
    expect(inbox.hasWork).toBe(true);
  });

  test('is answered at once by an agent that takes over from the one that was there', () => {
    const takenOver = {
      id: randomUUID(),
      from: foreign.identity,
      to: { agentTemplateId: 'a', name: 'Sales' },
      reason: '',
    };
    for (const unanswered of [asked, undefined]) {
      const { inbox, overheard } = open([foreign], { ...conversation, unanswered, takenOver });
      expect(inbox.hasWork).toBe(true);
      inbox.takeAll();
      for (const missed of [true, false]) inbox.receive(said(`Missed: ${missed}`, { missed }));
      expect(inbox.takeAll()).toHaveLength(2);
      expect(overheard).toEqual([]);
    }
  });

  test('is answered by it when the agent that was there leaves', () => {
    const { inbox } = open([later], conversation);
    inbox.receive(left(later, 'CLIENT_INITIATED'));
    expect(inbox.hasWork).toBe(true);
  });
});

test('answers of agents are never taken for texts of people, and those of an echo agent are not remembered', () => {
  const { inbox, overheard } = open([foreign, echo]);
  inbox.receive(answerOf(echo, 'You said: Hello'));
  inbox.receive(answerOf(foreign, 'light-agent, what do you think?'));
  expect(inbox.hasWork).toBe(false);
  expect(overheard).toEqual(['answer: light-agent, what do you think?']);
});

function open(
  others: readonly (Participant & { readonly attributes: object })[],
  stored?: StoredConversation,
  attributes: Record<string, string> = {},
  isHearing = false,
) {
  const overheard: string[] = [];
  const inbox = new Inbox({
    sessionId: randomUUID(),
    stored,
    attributes,
    isHearing: () => isHearing,
    isTaken: () => false,
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

/** Returns a text as a packet. A missed text comes from the API, so it has no sender. */
function said(text: string, { missed = false } = {}): RoomEvent {
  const packet = { type: 'user_text', data: text, id: randomUUID(), missed };
  const payload = new TextEncoder().encode(JSON.stringify(packet));
  return { type: 'packet', payload, sender: missed ? null : ann, receivedAt: Date.now() };
}

function answerOf(sender: Participant, text: string, attributes = {}): RoomEvent {
  const stream = { topic: 'lk.transcription', streamId: randomUUID(), attributes };
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
