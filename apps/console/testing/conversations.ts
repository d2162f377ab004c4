import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from './people.ts';

export async function startSession(
  { client }: Pick<Person, 'client'>,
  name = 'Onboarding call',
): Promise<{ readonly sessionId: string; readonly projectId: string }> {
  const project = await client.projects.create({ name: 'Acme Support' });
  const session = await client.sessions.create(project.id, { name });
  return { sessionId: session.id, projectId: project.id };
}

/** Waits until a session is recorded, so that participants who join later cause no gap before the recording. */
export async function untilRecorded(
  { client }: Pick<Person, 'client'>,
  sessionId: string,
): Promise<void> {
  await expect
    .poll(async () => (await client.sessions.get(sessionId)).recording.status)
    .toBe('recording');
}

export async function joinRoom(page: Page, name = 'Ada Park'): Promise<void> {
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText(`${name} joined`).first().waitFor();
}

export async function say(page: Page, words: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(words);
  await field.press('Enter');
}

export async function shownWords(page: Page): Promise<string[]> {
  const words = await page.locator('article [dir=auto].wrap-anywhere:not(span)').allTextContents();
  return words.map((text) => text.trim());
}
