import { journey } from '../testing/journey.ts';

journey('L leads from a session to the logs of its agent', async ({ ada, open }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  const session = await ada.client.sessions.create(id, { name: 'Refund 4471' });
  const agent = await ada.client.agents.start(session.id, { role: 'echo-agent' });
  const page = await open(`/sessions/${session.id}`, { as: ada });
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  // A conversation without words has the focus in its field, where keys write.
  await page.getByRole('link', { name: 'Members' }).focus();
  await page.keyboard.press('l');
  await page.waitForURL(`**/sessions/${session.id}/agents/${agent.id}`);
});
