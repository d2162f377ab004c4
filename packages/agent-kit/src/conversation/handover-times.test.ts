import type { OpenHandover } from '@session/contract';
import { encodePacket, type HandoverEvent, type RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { Handover } from './handover.ts';
import type { QuietStep } from './quiet-times.ts';

const OPERATOR = { identity: `user-${crypto.randomUUID()}-operator-0a1b2c` };
const NO_LIMIT: QuietStep = { action: 'wait', delayMs: 1_000_000 };

test('a request is repeated under its id while the agent waits, so that a loss does no harm', () => {
  const { handover, reported, ids, stepAt } = open();
  handover.request({ reason: 'refund' });
  expect(stepAt(4999)).toEqual({ action: 'wait', delayMs: 1 });
  expect(stepAt(5000)).toEqual({ action: 'wait', delayMs: 5000 });
  expect(stepAt(58_000)).toEqual({ action: 'wait', delayMs: 2000 });
  expect(stepAt(60_000)).toEqual({ action: 'resume' });
  expect(reported).toEqual(['requested', 'requested', 'requested', 'expired']);
  expect(ids().size).toBe(2);
});

test('the limits of an agent hold while it waits for a person, and not while one is there', () => {
  const { handover, reported, seen, stepAt } = open();
  handover.request({ reason: 'refund' });
  expect(stepAt(1, { action: 'wait', delayMs: 7 })).toEqual({ action: 'wait', delayMs: 7 });
  expect(stepAt(2, { action: 'leave' })).toEqual({ action: 'leave' });
  expect(stepAt(60_000, { action: 'goodbye' })).toEqual({ action: 'goodbye' });
  seen.push(OPERATOR);
  expect(stepAt(60_000, { action: 'leave' })).toMatchObject({ action: 'wait' });
  expect(reported).toEqual(['requested', 'taken']);
});

test('an operator who is back within a few seconds never left', () => {
  const { handover, reported, changes, seen, stepAt } = open();
  handover.request({ reason: 'refund' });
  seen.push(OPERATOR);
  handover.look();
  seen.pop();
  expect(stepAt(100)).toEqual({ action: 'wait', delayMs: 5000 });
  expect([handover.hasOperator, handover.isSilent]).toEqual([false, true]);
  expect(stepAt(5099)).toEqual({ action: 'wait', delayMs: 1 });
  seen.push(OPERATOR);
  expect(stepAt(5100)).toMatchObject({ action: 'wait' });
  expect([reported, changes]).toEqual([
    ['requested', 'taken'],
    ['came', 'back'],
  ]);
  seen.pop();
  stepAt(6000);
  expect(stepAt(11_000)).toBeUndefined();
  expect([reported, changes]).toEqual([
    ['requested', 'taken', 'done'],
    ['came', 'back', 'left'],
  ]);
});

test('the time in which the agent itself is out of the room is no absence of an operator', () => {
  const { handover, use, room, reported, changes, seen, stepAt } = open();
  handover.request({ reason: 'refund' });
  seen.push(OPERATOR);
  handover.look();
  // The media client reports that everyone left, then that it reconnects.
  seen.pop();
  handover.look();
  room.connection = undefined;
  expect(stepAt(5000)).toEqual({ action: 'wait', delayMs: 5000 });
  expect(stepAt(10_000)).toEqual({ action: 'wait', delayMs: 5000 });
  room.connection = 2;
  expect(stepAt(14_000)).toEqual({ action: 'wait', delayMs: 5000 });
  seen.push(OPERATOR);
  expect(stepAt(18_999)).toMatchObject({ action: 'wait' });
  seen.pop();
  handover.look();
  // A short outage during which nothing was checked.
  room.connection = 3;
  expect(stepAt(23_999)).toEqual({ action: 'wait', delayMs: 5000 });
  // The client has given up, and the agent joins again.
  room.connection = undefined;
  stepAt(40_000);
  room.connection = 1;
  use();
  expect(stepAt(44_999)).toEqual({ action: 'wait', delayMs: 1 });
  expect([reported, changes]).toEqual([
    ['requested', 'taken'],
    ['came', 'back'],
  ]);
  expect(stepAt(45_000)).toBeUndefined();
  expect(reported).toEqual(['requested', 'taken', 'done']);
});

test('an agent that hands over to another is silent for a minute, and goes on if none has come', () => {
  const { handover, reported, events, stepAt } = open();
  const to = { agentTemplateId: 'a', name: 'Sales' };
  handover.request({ reason: 'a price', to });
  expect(stepAt(59_999)).toMatchObject({ action: 'wait' });
  expect(stepAt(60_000)).toEqual({ action: 'resume' });
  expect(events.map((event) => event.to)).toEqual([to, to, to]);
  expect(events.at(-1)?.message).toBe('Sales has not come, and the agent goes on.');
  handover.request({ reason: 'a price', to });
  handover.leave();
  expect(handover.isSilent).toBe(true);
  expect(reported).toEqual(['requested', 'requested', 'expired', 'requested']);
});

test('a refusal of its own request ends the wait of an agent at once, and says with which code', () => {
  const { handover, events, stepAt } = open();
  handover.request({ reason: 'a price', to: { agentTemplateId: 'a', name: 'Sales' } });
  expect(handover.receive(refusalOf('another'))).toBe(false);
  expect(stepAt(1)).toMatchObject({ action: 'wait' });
  expect(handover.receive(refusalOf(events[0]?.id))).toBe(true);
  expect(stepAt(2)).toEqual({ action: 'resume', refusal: 'Too many.' });
  expect(handover.isSilent).toBe(false);
  expect(events.map(({ state, message }) => [state, message])).toEqual([
    ['requested', 'The agent hands over to Sales.'],
    ['expired', 'Sales cannot come (agent_capacity), and the agent goes on.'],
  ]);
});

test('a program that was restarted waits for no person: it says that nobody has come', () => {
  const { use, events, reported, stepAt } = open({ state: 'requested', reason: 'refund' });
  use();
  expect(stepAt(0)).toEqual({ action: 'resume' });
  expect(stepAt(1)).toBeUndefined();
  // As after a reconnect.
  use();
  expect(stepAt(2)).toBeUndefined();
  expect(reported).toEqual(['expired']);
  expect(events[0]?.reason).toBe('refund');
});

test('an operator who is back within a few seconds of a restart never left, and another one has left', () => {
  const { use, reported, changes, seen, stepAt } = open({ state: 'taken', reason: 'refund' });
  use();
  expect(stepAt(100)).toEqual({ action: 'wait', delayMs: 4900 });
  seen.push(OPERATOR);
  expect(stepAt(4999)).toMatchObject({ action: 'wait' });
  expect([reported, changes]).toEqual([[], ['came', 'back']]);
  seen.pop();
  stepAt(6000);
  expect(stepAt(11_000)).toBeUndefined();
  expect([reported, changes]).toEqual([['done'], ['came', 'back', 'left']]);
});

test('a restarted program is silent while an operator who was asked for is in the room', () => {
  const { use, handover, reported, seen, stepAt } = open({ state: 'requested', reason: 'refund' });
  seen.push(OPERATOR);
  use();
  expect(handover.isSilent).toBe(true);
  expect(reported).toEqual(['taken']);
  seen.pop();
  stepAt(1);
  expect(stepAt(5001)).toBeUndefined();
  expect(reported).toEqual(['taken', 'done']);
});

function refusalOf(handover = ''): RoomEvent {
  const refusal = { type: 'handover_refused', handover, code: 'agent_capacity' } as const;
  const payload = encodePacket({ ...refusal, detail: 'Too many.' });
  return { type: 'packet', payload, sender: null, receivedAt: 0, isSigned: true };
}

function open(earlier?: OpenHandover) {
  let now = 0;
  const events: HandoverEvent[] = [];
  const reported: string[] = [];
  const changes: string[] = [];
  const seen: { identity: string }[] = [];
  const handover = new Handover({
    settings: { persons: { waitMs: 60_000 }, agents: [] },
    open: earlier,
    clock: () => now,
    operatorsChanged: (isPresent) => changes.push(isPresent ? 'came' : 'left'),
    operatorIsBack: () => changes.push('back'),
    report: (event) => {
      events.push(event);
      reported.push(event.state);
    },
  });
  const room: Parameters<Handover['use']>[0] & { connection: number | undefined } = {
    participants: seen,
    connection: 1,
  };
  const use = () => handover.use(room);
  if (!earlier) use();
  const stepAt = (time: number, limit = NO_LIMIT) => {
    now = time;
    return handover.step(() => limit);
  };
  const ids = () => new Set(events.map(({ id }) => id));
  return { handover, use, room, reported, events, changes, seen, stepAt, ids };
}
