import { randomBytes } from 'node:crypto';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../src/deps.ts';

interface Place {
  readonly projectId: string;
  readonly by: string;
}

/** Stores what the route is about, if that is one erasure, invitation or webhook of a project, and returns its id. */
export async function storeSubject(deps: Deps, route: string, place: Place): Promise<string> {
  if (route.includes('/erasures/:')) return await storeErasure(deps, place);
  if (route.includes('/invitations/:')) return await storeInvitation(deps, place);
  if (route.includes('/deliveries/:')) return await storeDelivery(deps, place);
  return route.includes('/webhooks/:') ? await storeWebhook(deps, place) : '';
}

async function storeErasure({ database }: Deps, { projectId, by }: Place): Promise<string> {
  const scope = { sessionId: null, messageIds: null, identity: null, userId: uuidv7() };
  const erasure = { id: uuidv7(), projectId, requestedBy: by, ...scope };
  await db.insertErasure(database, erasure);
  return erasure.id;
}

async function storeInvitation({ database }: Deps, { projectId, by }: Place): Promise<string> {
  const id = uuidv7();
  const invitation = { id, projectId, email: `${id}@example.org`, role: 'MEMBER' } as const;
  const secret = { secretHash: randomBytes(32), createdBy: by };
  await db.insertInvitation(database, { ...invitation, ...secret }, 1000);
  return id;
}

async function storeWebhook({ database, vault }: Deps, { projectId, by }: Place): Promise<string> {
  const key = { id: uuidv7(), projectId };
  const settings = { description: '', events: [], content: 'full', startsAt: null } as const;
  // No name of this kind has an address.
  const webhook = { ...key, ...settings, url: 'https://hook.invalid', createdBy: by };
  const sealed = vault.seal({ current: 'whsec_' }, key);
  await db.insertWebhook(database, { ...webhook, ...sealed }, 100);
  return key.id;
}

/** Stores a webhook with a delivery of the same id: a notice. */
async function storeDelivery(deps: Deps, place: Place): Promise<string> {
  const id = await storeWebhook(deps, place);
  const { sql } = deps.database;
  const { projectId } = place;
  const seenAt = new Date().toISOString();
  const type = 'store.restored';
  await sql`
    insert into session_events (session_id, seen_at, project_id, type)
    values (${projectId}, ${seenAt}, ${projectId}, ${type})
    on conflict do nothing`;
  await sql`
    insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response)
    values (${id}, ${projectId}, ${seenAt}, ${id}, ${type}, 1, 12, '')`;
  return id;
}

/** Stores a request for an agent, which the route is about, and returns its id. Only an external agent has a token. */
export async function storeAgent(
  { database }: Deps,
  sessionId: string,
  by: string,
  route = '',
): Promise<string> {
  const role = route.endsWith('/token') ? 'external' : 'echo-agent';
  const agent = { id: uuidv7(), sessionId, role, createdBy: by };
  await db.insertAgent(database, { ...agent, planId: null, envTemplateId: null, config: {} });
  return agent.id;
}
