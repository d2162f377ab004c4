import { encodePacket, type PresenceEvent, type RoomEvent } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { LateSenders } from './late-senders.ts';

const ann = personOf('user-ann');
const ben = personOf('user-ben');
const agent = { ...personOf('agent-x'), kind: 'agent' };

test.each([
  ['the only person who is announced', [ann], 'user-ann'],
  ['a person beside an agent', [agent, ann], 'user-ann'],
  ['an agent that is alone', [agent], 'agent-x'],
  ['nobody where two people are announced at once', [ann, ben], null],
  ['nobody where nobody is announced', [], null],
])('a packet without a sender is of %s', async (_, announced, expected) => {
  const { senders, said } = open();
  const passed = senders.receive(packet('hello'), undefined);
  for (const participant of announced) {
    await senders.receive(joinOf(participant), undefined);
    // Runs everything that needs no timer before the next one is announced.
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  }
  await passed;
  expect(said).toEqual([['hello', expected]]);
});

test('who is announced before or long after a packet is not its sender', async () => {
  const { senders, said } = open();
  await senders.receive(joinOf(ann), undefined);
  await senders.receive(packet('hello'), undefined);
  await senders.receive(joinOf(ben), undefined);
  expect(said).toEqual([['hello', null]]);
});

test('a packet waits 1 s for its sender', async () => {
  startVirtualTime();
  const { senders, said } = open({});
  void senders.receive(packet('hello'), undefined);
  await passTime(999);
  expect(said).toEqual([]);
  await passTime(1);
  expect(said).toEqual([['hello', null]]);
});

test('a person who is announced long after an agent is the sender of the packet that waits for one', async () => {
  startVirtualTime();
  const { senders, said } = open({});
  void senders.receive(packet('hello'), undefined);
  await senders.receive(joinOf(agent), undefined);
  await passTime(900);
  expect(said).toEqual([]);
  await senders.receive(joinOf(ann), undefined);
  await passTime(50);
  expect(said).toEqual([['hello', 'user-ann']]);
});

test('later texts wait behind a packet whose sender is not known yet, but no packet that the API has signed waits alone', async () => {
  const { senders, said } = open();
  const api = { ...ann, name: 'Ann' };
  await senders.receive(packet('signed', { signature: 'good', sender: api }), undefined);
  expect(said).toEqual([['signed', 'user-ann']]);
  const first = senders.receive(packet('one'), undefined);
  await senders.receive(packet('two', {}, ben), undefined);
  await senders.receive(packet('three', { signature: 'good', sender: api }), undefined);
  expect(said).toHaveLength(1);
  const last = senders.receive(packet('four', { signature: 'bad', sender: api }), undefined);
  await Promise.all([first, last]);
  expect(said.slice(1)).toEqual([
    ['one', null],
    ['two', 'user-ben'],
    ['three', 'user-ann'],
    ['four', null],
  ]);
});

test('a participant’s signature and sender change nothing of its own sender', async () => {
  const { senders, said } = open();
  await senders.receive(packet('mine', { signature: 'good', sender: ann }, ben), undefined);
  expect(said).toEqual([['mine', 'user-ben']]);
});

test('a flood of packets without a sender does not grow without end, and keeps its order', async () => {
  const { senders, said } = open();
  const texts = Array.from({ length: 250 }, (_, index) => `${index}`);
  const passed = texts.map((text) => senders.receive(packet(text), undefined));
  expect(said).toHaveLength(50);
  await Promise.all(passed);
  expect(said.map(([text]) => text)).toEqual(texts);
});

function open(options: { waitMs?: number } = { waitMs: 20 }) {
  const said: [text: unknown, identity: string | null][] = [];
  const pass = (event: RoomEvent) => {
    if (event.type !== 'packet') return;
    const { data } = JSON.parse(new TextDecoder().decode(event.payload));
    said.push([data, event.sender?.identity ?? null]);
  };
  return { senders: new LateSenders({ isSigned, pass, ...options }), said };
}

function isSigned(fields: unknown): boolean {
  return Object(fields).signature === 'good';
}

function packet(data: string, fields: object = {}, sender: typeof ann | null = null): RoomEvent {
  const payload = encodePacket({ type: 'user_text', data, ...fields });
  return { type: 'packet', payload, sender, receivedAt: 0 };
}

function personOf(identity: string) {
  return { identity, name: '', sid: 'PA_1', kind: 'standard' };
}

function joinOf(participant: typeof ann): PresenceEvent {
  return { type: 'participant_joined', participant, joinedAt: 0, reason: null, receivedAt: 0 };
}
