import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'an API without the state of a session: there is no tab for plans, and a link to it shows the agents',
  async ({ ada, stack, open, expectFault }) => {
    expectFault(/status of 404/);
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}?panel=plan`, {
      as: ada,
      before: async (opened) =>
        await opened.route(`${stack.apiUrl}/sessions/*/state`, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          const response = await route.fetch({
            url: `${stack.apiUrl}/sessions/${crypto.randomUUID()}/state`,
          });
          return await route.fulfill({ response });
        }),
    });
    const panels = page.getByRole('navigation', { name: 'Panels' });
    await panels.getByRole('link', { name: 'Agents', exact: true }).waitFor();
    await panels.getByRole('link', { name: 'Plan' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start an agent' }).waitFor();
  },
);
