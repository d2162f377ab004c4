import { expect } from 'vitest';
import { joinRoom, say, shownWords, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'two browsers talk, and a reload shows the same conversation',
  async ({ ada, signUp, open }) => {
    const ben = await signUp('Ben Okafor');
    const { sessionId, projectId } = await startSession(ada);
    await ada.client.members.add(projectId, { email: ben.email });
    const one = await open(`/sessions/${sessionId}`, { as: ada });
    const other = await open(`/sessions/${sessionId}`, { as: ben, theme: 'dark', width: 320 });
    await joinRoom(one);
    await joinRoom(other, 'Ben Okafor');
    await one.getByText('Ben Okafor joined').waitFor();
    await say(one, 'Good morning, Ben. **Ready?**');
    await other.getByText('Ready?', { exact: true }).waitFor();
    await say(other, 'Yes. <b>Nearly</b>.');
    const words = ['Good morning, Ben. Ready?', 'Yes. <b>Nearly</b>.'];
    for (const page of [one, other]) {
      await expect.poll(() => shownWords(page)).toEqual(words);
      await expect.poll(() => page.locator('article:not([data-state=complete])').count()).toBe(0);
    }
    await one.reload();
    await expect.poll(() => shownWords(one)).toEqual(words);
    await one.getByText('Recording', { exact: true }).first().waitFor();
  },
);

journey(
  'the first conversation offers something to say, and the agent answers',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    const suggestion = page
      .getByRole('list', { name: 'Something to say' })
      .getByRole('button')
      .first();
    const words = (await suggestion.textContent()) ?? '';
    await suggestion.click();
    await expect.poll(() => shownWords(page)).toEqual([words, `You said: ${words}`]);
    await expect.poll(() => page.getByRole('list', { name: 'Something to say' }).count()).toBe(0);
    await page.getByRole('list', { name: 'In the room' }).getByText('Echo agent').waitFor();
  },
);

journey(
  'a draft is there after a reload, and what is too long is refused as it is typed',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Half a thought');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Half a thought');
    await field.fill('a'.repeat(32_010));
    await page.getByText('This message is 10 bytes too long.').waitFor();
    await field.press('Enter');
    expect(await field.inputValue()).toHaveLength(32_010);
    await field.fill('');
  },
);

journey(
  'a microphone that is denied has a sentence with the way out, and words need none',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) =>
        await opened.addInitScript(() => {
          navigator.mediaDevices.getUserMedia = async () => {
            throw new DOMException('Permission denied', 'NotAllowedError');
          };
        }),
    });
    await page.getByRole('button', { name: 'Talk', exact: true }).click();
    await page.getByText('The browser does not allow this page to use the microphone.').waitFor();
    await say(page, 'I write instead');
    await expect.poll(() => shownWords(page)).toEqual(['I write instead']);
  },
);

journey('the microphone is muted, unmuted and turned off', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await page.getByRole('button', { name: 'Mute the microphone' }).waitFor();
  await page.getByRole('region', { name: 'Conversation' }).focus();
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Unmute the microphone' }).waitFor();
  await page.keyboard.down(' ');
  await page.getByRole('button', { name: 'Mute the microphone' }).waitFor();
  await page.keyboard.up(' ');
  await page.getByRole('button', { name: 'Unmute the microphone' }).waitFor();
  await page.getByRole('button', { name: 'Choose microphone and speaker' }).click();
  await page.getByRole('menuitem', { name: 'Turn the microphone off' }).click();
  await page.getByRole('button', { name: 'Talk', exact: true }).waitFor();
});

/** Safari ends a composition before the Enter that accepts it. */
const COMPOSING = [{ isComposing: true }, { keyCode: 229 }];

journey('the Enter of an input method sends no half-written message', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('会議');
  for (const composing of COMPOSING) {
    await field.dispatchEvent('keydown', { key: 'Enter', ...composing });
    expect(await field.inputValue()).toBe('会議');
  }
  await field.press('Enter');
  await expect.poll(() => shownWords(page)).toEqual(['会議']);
});

journey(
  'the keys of an input method do not end the renaming of a session, and a long name is kept',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await page.getByRole('button', { name: 'Onboarding call' }).click();
    const field = page.getByRole('textbox', { name: 'Name of the session' });
    for (const key of ['Enter', 'Escape']) {
      for (const composing of COMPOSING) {
        await field.dispatchEvent('keydown', { key, ...composing });
        expect(await field.count()).toBe(1);
      }
    }
    await field.fill('');
    await page.keyboard.insertText('会議'.repeat(75));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '会議'.repeat(75) }).waitFor();
  },
);

journey('a session is renamed, exported and closed, and another begins', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await page.getByRole('button', { name: 'Onboarding call' }).click();
  await page.getByRole('textbox', { name: 'Name of the session' }).fill('Second call');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second call' }).waitFor();
  await say(page, 'The last words');
  const complete = page.locator('article[data-state=complete]');
  for (const hasText of ['Ada Park joined', 'The last words']) {
    await complete.filter({ hasText }).waitFor();
  }
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Close session' }).click();
  await page.getByText(/^Closed at \d\d:\d\d/).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('second-call.md');
  await page.getByRole('main').getByRole('button', { name: 'New session' }).click();
  await page.getByRole('heading', { name: 'New conversation' }).waitFor();
});

journey('a session that is deleted meanwhile says so', async ({ ada, open, expectFault }) => {
  // The browser notes each answer of 404.
  expectFault(/status of 40[41]/);
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await joinRoom(page);
  await ada.client.sessions.delete(sessionId);
  await page.getByRole('heading', { name: '“Onboarding call” is gone' }).first().waitFor();
  await page.getByRole('link', { name: 'Sessions of the project' }).waitFor();
});
