import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { Announcer } from './announcer.ts';

function openAnnouncer(answer: () => Promise<void>) {
  const asked: string[] = [];
  const announcer = new Announcer({
    async announceParticipant(room, identity) {
      asked.push(`${identity} in ${room}`);
      await answer();
    },
    log: logTo(),
  });
  return { announcer, asked };
}

test('a participant is announced once for each stay', () => {
  const { announcer, asked } = openAnnouncer(async () => {});
  for (const sid of ['PA_1', 'PA_1', 'PA_2']) announcer.announce('room', { identity: 'ana', sid });
  expect(asked).toEqual(['ana in room', 'ana in room']);
});

test('a participant whom the server did not announce is announced by the next attempt', async () => {
  let isAway = true;
  const { announcer, asked } = openAnnouncer(async () => {
    if (isAway) throw new Error('away');
  });
  const stay = { identity: 'ana', sid: 'PA_1' };
  announcer.announce('room', stay);
  await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  for (let count = 0; count < 2; count += 1) announcer.announce('room', stay);
  expect(asked).toHaveLength(2);
});
