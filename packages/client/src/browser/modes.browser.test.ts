import { expect } from 'vitest';
import { type BrowserTalker, saidIn, talkTest as test } from '../../testing/talks.ts';

const peopleIn = async ({ page }: BrowserTalker) =>
  await page.evaluate(() => window.talk.room.getSnapshot().participants.map(({ name }) => name));

const wordsOf = async (talker: BrowserTalker) =>
  (await saidIn(talker)).map(({ content }) => content);

test('an observer hears voices and words, and is seen by nobody; the first word joins again', async ({
  session,
}) => {
  const [ada, ben] = [await session.join('Ada'), await session.join('Ben')];
  await expect.poll(() => peopleIn(ada)).toEqual(['Ada', 'Ben']);
  await ben.page.evaluate(() => window.talk.conversation.setMode('observe'));
  await expect.poll(() => peopleIn(ada)).toEqual(['Ada']);
  await expect.poll(() => peopleIn(ben)).toEqual(['Ada']);
  await ada.page.evaluate(() => window.talk.room.microphone.enable());
  await ben.page.waitForFunction(() =>
    window.talk.room
      .getSnapshot()
      .participants.some(({ identity }) => window.talk.room.level(identity) > 0.3),
  );
  await ada.page.evaluate(() => window.talk.conversation.say('Hello'));
  await expect.poll(() => wordsOf(ben)).toEqual(['Hello']);
  expect(await peopleIn(ada)).toEqual(['Ada']);
  await ben.page.evaluate(() => window.talk.conversation.say('Good morning'));
  await expect.poll(() => peopleIn(ada)).toEqual(['Ada', 'Ben']);
  // Nobody records, so each word is stored when its page sends it through the API.
  await expect.poll(async () => (await wordsOf(ada)).toSorted()).toEqual(['Good morning', 'Hello']);
});
