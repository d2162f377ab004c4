import { expect } from 'vitest';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'a sign-out in one tab leads the other to the form, and its token is gone',
  async ({ ada, open }) => {
    await ada.client.projects.create({ name: 'First' });
    const page = await open('/?all=true', { as: ada });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/?all=true');
    await other.getByRole('button', { name: ada.name }).click();
    await other.getByRole('menuitem', { name: /Sign out/ }).click();
    await other
      .getByRole('button', { name: /Sign out/ })
      .last()
      .click();
    await page.waitForURL('**/sign-in*');
    await other.waitForURL('**/sign-in*');
    expect(await page.evaluate(() => localStorage.getItem('session.token'))).toBeNull();
  },
);

journey(
  'a new token of the same user, taken in another tab, ends no call and empties no form',
  async ({ ada, open }) => {
    const { projectId, sessionId } = await startSession(ada);
    await ada.client.agentTemplates.create(projectId, { name: 'Front desk', role: 'light-agent' });
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await joinRoom(page);
    const field = await page.getByRole('textbox', { name: 'Message' }).elementHandle();
    const editor = await page.context().newPage();
    await editor.goto(`/projects/${projectId}/templates`);
    await editor.getByRole('button', { name: 'Edit Front desk' }).click();
    const greeting = editor.getByLabel('Greeting');
    await greeting.fill('Good day.');
    const other = await page.context().newPage();
    await other.goto('/account');

    const { token } = await ada.client.auth.logIn({ email: ada.email, password: ada.password });
    expect(token).not.toBe(ada.token);
    const answers = [page, editor].map((tab) =>
      tab.waitForResponse(
        (answer) => answer.request().headers()['authorization'] === `Bearer ${token}`,
      ),
    );
    await other.evaluate((next) => localStorage.setItem('session.token', next), token);
    await Promise.all(answers);
    expect(await field?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await greeting.inputValue()).toBe('Good day.');
  },
);

journey('two tabs that start talking at once share one conversation', async ({ ada, open }) => {
  const page = await open('/', { as: ada });
  const other = await page.context().newPage();
  await other.goto('/');
  const buttons = [page, other].map((tab) => tab.getByRole('button', { name: 'Start talking' }));
  await Promise.all(buttons.map(async (button) => await button.waitFor()));
  await Promise.all(buttons.map(async (button) => await button.click()));
  await Promise.all([page, other].map(async (tab) => await tab.waitForURL('**/sessions/*')));
  expect(other.url()).toBe(page.url());
  expect((await ada.client.auth.me()).projectMemberships).toHaveLength(1);
});
