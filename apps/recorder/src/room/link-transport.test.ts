import { expect, test } from 'vitest';
import { LinkTransport } from './link-transport.ts';

/** Returns the transport `id`, which began at 0 and receives. */
function openTransport(id: string | undefined) {
  const transport = new LinkTransport(0);
  expect(transport.proved(id, true)).toBe(false);
  return transport;
}

test.each([
  ['the same transport as the one before', 'first', 'first', 0],
  ['a new transport: nothing from before the interruption comes through it', 'first', 'second', 10],
  ['an unknown transport, which may be the one before', 'first', undefined, 0],
  ['a transport after an unknown one', undefined, 'first', 0],
])('after a reconnect there is %s', (_, before, after, beganAt) => {
  const transport = openTransport(before);
  transport.interrupted(10);
  transport.reconnected(20);
  expect(transport.proved(after, true)).toBe(before === after);
  expect(transport.beganAt).toBe(beganAt);
});

test('a connection that breaks again before it is proved to receive counts as interrupted since the first break', () => {
  const transport = openTransport('first');
  transport.interrupted(10);
  transport.reconnected(20);
  transport.interrupted(30);
  transport.reconnected(40);
  transport.proved('second', true);
  expect(transport.beganAt).toBe(10);
  transport.interrupted(50);
  transport.reconnected(60);
  transport.proved('third', true);
  expect(transport.beganAt).toBe(50);
});
