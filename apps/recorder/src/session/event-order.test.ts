import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { RoomEvent } from '@session/contract/room';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventOrder, waitRealStep } from './event-order.ts';

function packet(receivedAt: number): RoomEvent {
  return { type: 'packet', payload: new Uint8Array(), sender: null, receivedAt };
}

test('an event behind one that waits is passed on after it, and no other event waits', async () => {
  const delivered: number[] = [];
  const order = new EventOrder({ push: ({ receivedAt }) => delivered.push(receivedAt) });
  order.push(packet(1));
  expect(delivered).toEqual([1]);
  const first = Promise.withResolvers<RoomEvent[]>();
  const second = Promise.withResolvers<RoomEvent[]>();
  const held = [order.hold(3, first.promise), order.hold(5, second.promise)];
  order.push(packet(6));
  second.resolve([packet(5)]);
  await held[1];
  expect(delivered).toEqual([1]);
  expect(order.oldestAt).toBe(3);
  first.resolve([packet(2), packet(3)]);
  await held[0];
  expect(delivered).toEqual([1, 2, 3, 5, 6]);
  expect(order.oldestAt).toBe(Infinity);
});

test('the oldest event may stand behind a younger one', () => {
  const order = new EventOrder({ push: () => {} });
  void order.hold(9, new Promise(() => {}));
  order.push(packet(5));
  expect(order.oldestAt).toBe(5);
});

test('whatever is looked up and in whichever order it is found, events leave in the order of arrival', async () => {
  const lookups = fc.array(
    fc.record({ isHeld: fc.boolean(), events: fc.nat(3), rank: fc.nat(99) }),
    {
      maxLength: 15,
    },
  );
  await fc.assert(
    fc.asyncProperty(lookups, async (arrivals) => {
      const delivered: number[] = [];
      const order = new EventOrder({ push: ({ receivedAt }) => delivered.push(receivedAt) });
      const expected: number[] = [];
      const pending: { rank: number; find: () => void; held: Promise<void> }[] = [];
      for (const [index, { isHeld, events, rank }] of arrivals.entries()) {
        const at = index * 10;
        const found = Array.from({ length: isHeld ? events : 1 }, (_, part) => at + part);
        expected.push(...found);
        if (!isHeld) order.push(packet(at));
        else {
          const { promise, resolve } = Promise.withResolvers<RoomEvent[]>();
          const held = order.hold(at, promise);
          pending.push({ rank, held, find: () => resolve(found.map(packet)) });
        }
      }
      for (const { find, held } of pending.toSorted((left, right) => left.rank - right.rank)) {
        expect(delivered).toEqual(expected.slice(0, delivered.length));
        find();
        await held;
      }
      expect(delivered).toEqual(expected);
      expect(order.oldestAt).toBe(Infinity);
    }),
  );
});

/** Returns an order, and the receipt times of what it passed on. `wait` lasts as long as an event waits for a text. */
function openOrder() {
  const passed: number[] = [];
  const steps: (() => void)[] = [];
  const order = new EventOrder(
    { push: ({ receivedAt }) => void passed.push(receivedAt) },
    async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      steps.push(resolve);
      await promise;
    },
  );
  const step = async () => {
    steps.shift()?.();
    await setImmediate();
  };
  return {
    order,
    passed,
    step,
    wait: async () => {
      for (let count = 0; count < 5; count += 1) await step();
    },
    end: (key: string, at: number) => order.holdEnd(key, at, Promise.resolve([packet(at)])),
  };
}

const left = (receivedAt: number): RoomEvent => ({
  type: 'participant_left',
  participant: { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' },
  joinedAt: 1,
  reason: 'CLIENT_INITIATED',
  receivedAt,
});

test('a packet that overtakes the end of a text stands after the text, and nothing overtakes the packet', async () => {
  const { order, passed, end } = openOrder();
  order.push(packet(1));
  order.begin('text', true);
  order.push(packet(3));
  order.push(left(4));
  expect(passed).toEqual([1]);
  await end('text', 2);
  expect(passed).toEqual([1, 2, 3, 4]);
});

test('a text stands after the packets that came before its header, even if these wait', async () => {
  const { order, passed, end } = openOrder();
  order.begin('long', true);
  order.push(packet(2));
  order.begin('short', true);
  const ended = end('short', 3);
  expect(passed).toEqual([]);
  await end('long', 1);
  await ended;
  expect(passed).toEqual([1, 2, 3]);
});

test('an event whose sender is looked up waits for the text that it may answer', async () => {
  const { order, passed, end } = openOrder();
  order.begin('text', true);
  const held = order.hold(2, Promise.resolve([packet(2)]), true);
  await held;
  expect(passed).toEqual([]);
  await end('text', 1);
  expect(passed).toEqual([1, 2]);
});

test('no event waits for a text that begins after it, and who comes or goes waits for no text', () => {
  const { order, passed } = openOrder();
  order.push(packet(1));
  order.begin('text', true);
  order.push(left(2));
  expect(passed).toEqual([1, 2]);
});

test('a text that goes on holds back the events after it for a short time only', async () => {
  const { order, passed, end, wait } = openOrder();
  order.begin('endless', true);
  order.push(packet(1));
  order.begin('text', true);
  order.push(left(3));
  void end('text', 2);
  expect(passed).toEqual([]);
  await wait();
  expect(passed).toEqual([1, 2, 3]);
  order.push(packet(4));
  await wait();
  await end('endless', 5);
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});

test('texts that end one after another before a packet do not make it wait longer', async () => {
  const { order, passed, step, end } = openOrder();
  for (const key of ['endless', 'one', 'two', 'three', 'four', 'five']) order.begin(key, true);
  order.push(packet(9));
  for (const [at, key] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    await end(key, at);
    await step();
  }
  expect(passed).toEqual([0, 1, 2, 3, 4, 9]);
});

test('a process that stands still takes what was reported meanwhile before events wait no longer', async () => {
  const passed: number[] = [];
  const { port1, port2 } = new MessageChannel();
  let steps = 0;
  const waitStep = async () => {
    steps += 1;
    if (steps < 5) return;
    // In the event loop, timers run after this phase, and only then the messages of ports.
    await setImmediate();
    const waited = waitRealStep();
    port2.postMessage('the end of the text');
    const until = performance.now() + 200;
    while (performance.now() < until);
    await waited;
  };
  const push = ({ receivedAt }: RoomEvent) => void passed.push(receivedAt);
  const order = new EventOrder({ push }, waitStep);
  const ended = once(port1, 'message').then(
    async () => await order.holdEnd('text', 1, Promise.resolve([packet(1)])),
  );
  order.begin('text', true);
  order.push(packet(2));
  await ended;
  port1.close();
  expect([passed, steps]).toEqual([[1, 2], 5]);
});

test('a text that ends late stands behind what has waited long enough for it, whatever that still waits for', async () => {
  const { order, passed, wait, end } = openOrder();
  const lookup = Promise.withResolvers<RoomEvent[]>();
  const held = order.hold(1, lookup.promise);
  order.begin('text', true);
  order.push(packet(2));
  await wait();
  const ended = end('text', 3);
  lookup.resolve([packet(1)]);
  await Promise.all([held, ended]);
  expect(passed).toEqual([1, 2, 3]);
});

test('a text stands behind who came before its end, if that did not wait for it', async () => {
  const { order, passed, end } = openOrder();
  const name = Promise.withResolvers<RoomEvent[]>();
  order.begin('text', true);
  const held = order.hold(1, name.promise);
  const ended = end('text', 2);
  name.resolve([packet(1)]);
  await Promise.all([held, ended]);
  expect(passed).toEqual([1, 2]);
});

test('a packet that has waited long enough waits for no text that ends then, though it waits for another one', async () => {
  const { order, passed, wait } = openOrder();
  for (const key of ['first', 'second']) order.begin(key, true);
  order.push(packet(9));
  const judged = Promise.withResolvers<RoomEvent[]>();
  const ended = order.holdEnd('first', 1, judged.promise);
  await wait();
  void order.holdEnd('second', 10, new Promise(() => {}));
  judged.resolve([packet(1)]);
  await ended;
  expect(passed).toEqual([1, 9]);
});

test('a text that the SDK does not open is not waited for again', async () => {
  const { order, passed, wait } = openOrder();
  order.begin('never opened', false);
  order.push(packet(1));
  expect(passed).toEqual([]);
  await wait();
  expect(passed).toEqual([1]);
  order.push(packet(2));
  expect(passed).toEqual([1, 2]);
});

test('when the texts are forgotten, nothing waits for them', async () => {
  const { order, passed, end } = openOrder();
  order.begin('text', true);
  order.push(packet(1));
  order.forgetTexts();
  expect(passed).toEqual([1]);
  order.push(packet(2));
  await end('text', 3);
  expect(passed).toEqual([1, 2, 3]);
});

test('no event waits for the oldest of more than 1,000 texts', () => {
  const { order, passed } = openOrder();
  order.begin('oldest', true);
  order.push(packet(1));
  for (let index = 0; index < 1000; index += 1) order.begin(`text ${index}`, true);
  order.push(packet(2));
  expect(passed).toEqual([1]);
});

test('whatever is reported late, everything is passed on once, in the order of arrival', async () => {
  const kinds = fc.array(fc.constantFrom('packet', 'text'), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(kinds, fc.infiniteStream(fc.nat()), async (arrivals, dice) => {
      const { order, passed, end } = openOrder();
      // Each text has ended before the next event arrives, but its end may be reported at any later time.
      const late: number[] = [];
      const endSome = async (count: number) => {
        for (let ended = 0; ended < count && late.length > 0; ended += 1) {
          const [die = 0] = dice.take(1);
          for (const at of late.splice(die % late.length, 1)) await end(String(at), at);
        }
      };
      for (const [at, kind] of arrivals.entries()) {
        const [die = 0] = dice.take(1);
        await endSome(die % 3);
        if (kind === 'packet') order.push(packet(at));
        else {
          order.begin(String(at), true);
          late.push(at);
        }
      }
      await endSome(late.length);
      expect(passed).toEqual([...arrivals.keys()]);
      expect(order.oldestAt).toBe(Infinity);
    }),
  );
});
