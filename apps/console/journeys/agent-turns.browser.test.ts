import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

journey(
  'the page of an agent shows what its answers took, as a chart and as a table',
  async ({ ada, open, axe }) => {
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const session = await ada.client.sessions.create(project.id, { name: 'Onboarding call' });
    const { id: envTemplateId } = await ada.client.envTemplates.create(project.id, {
      name: 'Rehearsal',
      variables: { LLM_API_KEY: 'rehearsal', GREETING: 'off' },
    });
    const { id } = await ada.client.agents.start(session.id, {
      role: 'light-agent',
      envTemplateId,
    });
    await ada.client.agents.untilRunning(id);
    const page = await open(`/sessions/${session.id}/agents/${id}`, { as: ada, height: 1000 });
    await page.getByRole('heading', { name: 'Started with' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Turns' }).count()).toBe(0);

    await ada.client.messages.say(session.id, { content: 'Good morning' });
    await page.getByRole('heading', { name: 'Turns' }).waitFor();
    await page
      .getByText(/^half within .+, 95 % within .+$/)
      .first()
      .waitFor();
    const summary = page.getByText('The newest turns as a table');
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'rehearsal' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toContain('First words');
    await axe(page);
    for (const width of [1280, 640, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflows(page)).toEqual([]);
    }
  },
);
