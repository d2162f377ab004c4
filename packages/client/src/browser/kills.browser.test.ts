import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { saidIn, talkTest as test } from '../../testing/talks.ts';

test('the media server, the API and the recorder are killed in turn and together: no word of two browsers is lost or doubled', async ({
  world: { api, media },
  session,
}) => {
  const recorder = await api.startRecorder();
  const talkers = [await session.join('Ada'), await session.join('Ben')];
  for (const [index, { page }] of talkers.entries()) {
    // Not awaited, because the page talks until the end.
    await page.evaluate((name) => void window.talk.talk(name), `voice ${index}`);
  }
  for (const killed of [[media], [api], [recorder], [media, api, recorder]]) {
    await sleep(500);
    await Promise.all(killed.map((part) => part.kill()));
    await sleep(1000);
    await Promise.all(killed.map((part) => part.start()));
    for (const { page } of talkers) {
      await page.waitForFunction(() => window.talk.connection === 'live');
    }
  }
  const ids = await Promise.all(
    talkers.map(({ page }) => page.evaluate(() => window.talk.stopTalking())),
  );
  const states = async () => {
    const all = talkers.map(({ page }) => page.evaluate(() => window.talk.sayAgain()));
    return new Set((await Promise.all(all)).flat());
  };
  await expect.poll(states).toEqual(new Set(['complete']));
  const history = await session.history();
  expect(history.map(({ id }) => id).toSorted()).toEqual(ids.flat().toSorted());
  for (const talker of talkers) await expect.poll(() => saidIn(talker)).toEqual(history);
});
