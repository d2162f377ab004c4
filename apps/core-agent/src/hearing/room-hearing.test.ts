import { expect, test } from 'vitest';
import { RoomHearing } from './room-hearing.ts';

test('where the framework does not load, that is reported, and no sound is kept', async () => {
  const closed = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const log: string[] = [];
  const hearing = new RoomHearing({
    framework: async () => await Promise.reject(new Error('no models')),
    language: 'en',
    times: { minMs: 500, maxMs: 500, interruptMinMs: 500 },
    events: Object({}),
    failed: (error) => void failures.push(error),
    log: (line) => void log.push(line),
  });
  hearing.hear(Object({ close: async () => closed.resolve() }));
  await closed.promise;
  expect(failures).toEqual([new Error('no models')]);
  expect(log).toEqual(['listening failed: Error: no models']);
});
