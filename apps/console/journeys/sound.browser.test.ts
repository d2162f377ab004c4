import { expect } from 'vitest';
import { joinRoom, say, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'a page is silent about sound until somebody talks; sound that the browser blocks then waits for a button, and plays',
  async ({ ada, signUp, open, axe, expectFault }) => {
    // LiveKit’s SDK leaves the browser’s refusal uncaught.
    expectFault(/^uncaught: /);
    const { sessionId, projectId } = await startSession(ada);
    const ben = await signUp('Ben Okafor');
    await ada.client.members.add(projectId, { email: ben.email });
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      // A Chromium without a window blocks nothing by itself.
      before: async (opened) =>
        await opened.addInitScript(() => {
          const play = Reflect.get(HTMLMediaElement.prototype, 'play');
          let isAllowed = false;
          addEventListener('click', () => (isAllowed = true), { capture: true });
          Object.defineProperty(BaseAudioContext.prototype, 'state', {
            get: () => (isAllowed ? 'running' : 'suspended'),
          });
          HTMLMediaElement.prototype.play = async function playAllowed() {
            if (!isAllowed) throw new DOMException('', 'NotAllowedError');
            await play.call(this);
          };
        }),
    });
    const talker = await open(`/sessions/${sessionId}`, { as: ben });
    await joinRoom(talker, 'Ben Okafor');
    await page.getByText('Ben Okafor joined').waitFor();
    // Said without a click, because a browser plays sound after a click.
    await say(page, 'Can you hear me?');
    await page.getByText('Ada Park joined').waitFor();
    const notice = page.getByText('The browser holds the sound back.');
    expect(await notice.count()).toBe(0);
    await talker.getByRole('button', { name: 'Talk', exact: true }).click();
    await notice.waitFor();
    // The line comes and goes with each word of Ben, and must not move the button.
    await page
      .locator('ul[aria-label="In the room"] ~ div', {
        hasText: 'The browser holds the sound back.',
      })
      .waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Play sound' }).click();
    await notice.waitFor({ state: 'detached' });
    // The page measures sound as long as somebody talks. axe checks a page with an open microphone in looking.browser.test.ts.
    await talker.close();
  },
);
