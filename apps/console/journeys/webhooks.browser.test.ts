import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { overflows, untilShown } from '../testing/layout.ts';
import { startReceiver } from '../testing/receiver.ts';

journey(
  'a webhook is created, tested, gets messages, fails, is replayed, disabled and deleted',
  async ({ ada, open, axe, expectFault }) => {
    // Until the deletion is answered, the page may read the webhook once more.
    expectFault(/status of 404 .*\/webhooks\//);
    await using receiver = await startReceiver();
    const { projectId, sessionId } = await startSession(ada);
    const page = await open(`/projects/${projectId}`, { as: ada });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('A webhook is an address of your server').waitFor();
    await axe(page);

    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Create a webhook' });
    await form.getByLabel('URL').fill('https://user:secret@example.org/');
    const chosen = form.getByRole('checkbox', { checked: true });
    while ((await chosen.count()) > 0) await chosen.first().uncheck();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Choose at least one.').waitFor();
    await axe(page);
    await form.getByRole('checkbox', { name: 'Messages', exact: true }).check();
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/It is not shown again\./).waitFor();
    const secret = await page.getByText(/^whsec_/).textContent();
    await axe(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('Nothing was sent in the last seven days.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^The test arrived: 204 after \d+ ms\.$/).waitFor();
    expect(receiver.types).toEqual(['webhook.test']);

    await ada.client.messages.say(sessionId, { content: 'Is anybody there?' });
    await expect.poll(() => receiver.types).toContain('message.stored');
    await page.reload();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries.getByText('Delivered').first().waitFor();
    await axe(page);

    receiver.answer(500, '<b>Out of order</b>');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^The test failed: 500 after/).waitFor();
    await page.getByText('<b>Out of order</b>').waitFor();
    const sent = receiver.types.length;
    await ada.client.messages.say(sessionId, { content: 'Hello?' });
    await expect.poll(() => receiver.types.length).toBeGreaterThan(sent);
    await page.reload();
    await deliveries.getByText('Failed').first().waitFor();
    await page.getByText('Attempts fail, and are retried').waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    const sendThisAgain = deliveries.getByRole('button', {
      name: 'Send this again',
      description: /^message\.stored \d/,
    });
    await sendThisAgain.first().click();
    await page.getByText(/^Sent again, and failed: 500 after \d+ ms\.$/).waitFor();
    receiver.answer(204);
    await sendThisAgain.first().click();
    await page.getByText(/^Sent again: 204 after \d+ ms\.$/).waitFor();
    const failed = receiver.types.length;
    await page.getByRole('button', { name: 'Replay …' }).click();
    await axe(page);
    // By default it begins in the minute of the first failure, before which a message may have been delivered.
    await page.getByLabel('Messages stored since').fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sending again in 1 session.').waitFor();
    await expect.poll(() => receiver.types.length).toBeGreaterThan(failed + 1);

    await page.getByRole('button', { name: 'Rotate the secret …' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText(/It is not shown again\./).waitFor();
    expect(await page.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Nothing is sent.').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Active').waitFor();

    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Description (optional)').fill('For the archive');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('For the archive').waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the webhook?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhook yet.').waitFor();
  },
);

journey(
  'a member is told that webhooks need an admin, and a refused URL is said at its field',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 40[0349]/);
    const { projectId } = await startSession(ada);
    const page = await open(`/projects/${projectId}/webhooks`, { as: ada, width: 320 });
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Create a webhook' });
    const url = form.getByLabel('URL');
    await url.fill('https://10.0.0.1/');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/address of the URL is not public/).waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(projectId, { email: ravi.email });
    const his = await open(`/projects/${projectId}/webhooks`, { as: ravi });
    await untilShown(his);
    await his.getByText('Webhooks need an admin.').waitFor();
    expect(await his.getByRole('button', { name: /webhook/ }).count()).toBe(0);
  },
);

journey('a changed description leaves the events of a webhook alone', async ({ ada, open }) => {
  await using receiver = await startReceiver();
  const { projectId } = await startSession(ada);
  const { webhooks } = ada.client;
  const { id } = await webhooks.create(projectId, { url: receiver.url });
  const page = await open(`/projects/${projectId}/webhooks/${id}`, { as: ada });
  await page.getByRole('button', { name: 'Edit …' }).click();
  await page.getByLabel('Description (optional)').fill('For the archive');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('For the archive').waitFor();
  expect((await webhooks.get(id)).events).toEqual([]);
});
