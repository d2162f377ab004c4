import { v7 as uuidv7 } from 'uuid';
import { insertWebhook, type StoredWebhook } from '../src/queries/followers/webhook-changes.ts';
import type { TestProject } from './project.ts';

/** Returns a webhook to be stored, to be varied. */
export function newWebhook(
  part: Partial<StoredWebhook> & Pick<StoredWebhook, 'createdBy' | 'projectId'>,
): StoredWebhook {
  const id = uuidv7();
  return {
    id,
    url: 'https://example.org/hook',
    description: '',
    events: [],
    content: 'full',
    startsAt: '1970-01-01T00:00:00.000Z',
    keyId: 'key',
    nonce: Buffer.from(id),
    ciphertext: Buffer.from('sealed'),
    ...part,
  };
}

/** Stores a webhook that gets everything from the beginning, and returns its id. */
export async function addWebhook(
  project: TestProject,
  part: Partial<StoredWebhook> = {},
): Promise<string> {
  const { projectId, userId: createdBy } = project;
  const webhook = newWebhook({ projectId, createdBy, ...part });
  await insertWebhook(project, webhook, 100);
  return webhook.id;
}
