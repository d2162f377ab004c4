import { expect, test } from 'vitest';
import { CLOCK_SKEW_MS, TIMING } from './timing.ts';

/** After this silence, other recorders declare a recorder dead, by the statements of packages/db. */
const DEAD_MS = 15_000;

test('a stop takes at most the promised 25 s, whatever the database does', () => {
  expect(TIMING.drainMs + TIMING.lastFlushMs).toBeLessThanOrEqual(25_000);
});

test('a message is flushed within 50 ms, and a gap is accurate to a second', () => {
  expect(TIMING.flushMs).toBeLessThanOrEqual(50);
  expect(2 * TIMING.heartbeatMs).toBeLessThanOrEqual(1000);
});

test('a living recorder never looks dead: several heartbeats fit into the time until then', () => {
  expect(5 * TIMING.heartbeatMs).toBeLessThan(DEAD_MS);
  expect(TIMING.graceMs).toBeGreaterThan(2 * TIMING.heartbeatMs);
});

test('there are five attempts to reconnect, with ever longer waits', () => {
  expect(TIMING.retryDelaysMs).toHaveLength(5);
  expect(TIMING.retryDelaysMs).toEqual(TIMING.retryDelaysMs.toSorted((a, b) => a - b));
});

test('what the server reports up to 3 s late is waited for, by sender lookups and by webhooks', () => {
  expect(TIMING.senderMs).toBeGreaterThan(3000);
  expect(TIMING.webhookLeaveMs).toBeGreaterThan(3000 + CLOCK_SKEW_MS);
});
