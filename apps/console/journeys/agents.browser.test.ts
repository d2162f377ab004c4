import type { Route } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import type { Person } from '../testing/people.ts';

/** A project with a session in it. */
async function sessionOf({ client }: Person) {
  const project = await client.projects.create({ name: 'Acme Support' });
  return await client.sessions.create(project.id, { name: 'Onboarding call' });
}

journey(
  'an agent that cannot start says why before it is started, and starts once that is cured',
  async ({ ada, open }) => {
    const session = await sessionOf(ada);
    const page = await open(`/sessions/${session.id}?panel=agent`, {
      as: ada,
      height: 1000,
    });
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
    // Another name of the core agent.
    expect(await dialog.getByRole('radio', { name: 'Conversational AI' }).count()).toBe(0);
    await dialog.getByRole('radio', { name: 'Light agent' }).check();
    await dialog.getByText('This agent would not start.').waitFor();
    await dialog.getByText(/The role light-agent needs LLM_API_KEY/).waitFor();
    await expect
      .poll(() =>
        dialog.getByRole('button', { name: 'Start', exact: true }).getAttribute('aria-disabled'),
      )
      .toBe('true');

    const variables = { LLM_API_KEY: 'rehearsal' };
    await ada.client.envTemplates.create(session.projectId, { name: 'Rehearsal', variables });
    await dialog.getByRole('button', { name: 'Check again' }).click();
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByText('Running').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Joined' }).waitFor();
    await dialog.getByRole('button', { name: 'Talk to it' }).click();
    await page.getByRole('article', { name: 'Light agent' }).getByText('Running').waitFor();
  },
);

journey(
  'an agent that stopped by itself has its reason as a sentence, and its log beside it',
  async ({ ada, open }) => {
    const { id, projectId } = await sessionOf(ada);
    const template = await ada.client.envTemplates.create(projectId, {
      name: 'Faulty',
      variables: { LLM_API_KEY: 'rehearsal', LLM_TEMPERATURE: 'hot' },
    });
    const agent = await ada.client.agents.start(id, {
      role: 'light-agent',
      envTemplateId: template.id,
    });
    const page = await open(`/sessions/${id}/agents/${agent.id}`, {
      as: ada,
    });
    await page.getByText('Its configuration is refused: its log says what is wrong.').waitFor();
    await page.getByRole('button', { name: 'Start again' }).waitFor();
    const log = page.getByRole('region', { name: 'Lines of the log' });
    await log.getByText('LLM_TEMPERATURE').first().waitFor();
    await page.getByText('Complete').waitFor();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('no such words');
    await page.getByText('No line contains “no such words”.').waitFor();
  },
);

journey(
  'an agent that is stopped, and one that is gone, are said so',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 404/);
    const { id } = await sessionOf(ada);
    const agent = await ada.client.agents.start(id, { role: 'echo-agent' });
    const page = await open(`/sessions/${id}/agents/${agent.id}`, {
      as: ada,
      theme: 'dark',
    });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped on request.').waitFor();
    await ada.client.sessions.delete(id);
    const gone = await open(`/sessions/${id}/agents/${agent.id}`, {
      as: ada,
      width: 320,
    });
    await gone.getByRole('heading', { name: 'This agent is gone' }).waitFor();
  },
);

journey(
  'an external agent shows the lines for its program once, a new token on its page to who started it, and its state',
  async ({ ada, open, signUp }) => {
    const session = await sessionOf(ada);
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(session.projectId, { email: ravi.email, role: 'ADMIN' });
    const page = await open(`/sessions/${session.id}?panel=agent`, { as: ada, height: 1000 });
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    await dialog.getByRole('radio', { name: 'External agent' }).check();
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
    expect(await dialog.getByLabel('When it crashes').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    const lines = dialog.getByLabel('Lines for .env');
    const token = /^MEDIA_TOKEN='(.+)'$/m;
    const first = token.exec(await lines.inputValue())?.[1] ?? '';
    expect(first).not.toBe('');
    await dialog.getByText('It is not in the room.').waitFor();
    await dialog.getByRole('link', { name: 'Logs' }).click();

    await page.getByRole('heading', { name: 'External agent' }).waitFor();
    await page.getByText('lines stay where it runs').waitFor();
    expect(await page.getByLabel('Lines for .env').count()).toBe(0);
    await page.getByRole('button', { name: 'Lines for .env' }).click();
    expect(await page.getByLabel('Lines for .env').inputValue()).toMatch(token);
    const his = await open(new URL(page.url()).pathname, { as: ravi });
    await his.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await his.getByRole('button', { name: 'Lines for .env' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped on request.').waitFor();
    expect(await page.getByRole('button', { name: 'New token' }).count()).toBe(0);
  },
);

journey(
  'the form of a new agent waits for its templates: a field that comes later would move the others',
  async ({ ada, open }) => {
    const session = await sessionOf(ada);
    const asked = Promise.withResolvers<Route>();
    const page = await open(`/sessions/${session.id}?panel=agent`, {
      as: ada,
      height: 1000,
      before: async (opened) => {
        await opened.route(/\/env-templates\?/, asked.resolve);
      },
    });
    const others = [/\/agent-types$/, /\/agent-templates\?/].map(
      async (address) => await page.waitForResponse(address),
    );
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    const radio = dialog.getByRole('radio', { name: 'External agent' });
    const templates = await asked.promise;
    await Promise.all(others);
    await page.evaluate(async () => await new Promise(requestAnimationFrame));
    expect(await radio.count()).toBe(0);
    await templates.continue();
    await radio.check();
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
  },
);
