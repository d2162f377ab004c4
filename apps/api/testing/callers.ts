import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../src/deps.ts';
import { newApiKey } from '../src/http/callers/api-key-text.ts';
import type { ZodApp } from '../src/http/zod-app.ts';

interface TestCaller {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

const MANY = 100;

export async function createKey(
  { database }: Deps,
  projectId: string,
  role: 'ADMIN' | 'MEMBER',
): Promise<TestCaller> {
  const id = uuidv7();
  const { id: secretId, secretHash, text } = newApiKey();
  const secret = { secretId, secretHash, createdBy: id, expiresAt: null };
  const key = { id, projectId, name: 'key', role, membershipId: uuidv7(), ...secret };
  await db.insertApiKey(database, key, MANY);
  return { id, email: `service:${id}`, name: 'key', token: text };
}

export async function createParticipant(
  app: ZodApp,
  issuer: Pick<TestCaller, 'token'>,
  sessionId: string,
  externalId: string,
): Promise<TestCaller> {
  const answer = await app.inject({
    method: 'POST',
    url: `/sessions/${sessionId}/token`,
    payload: { participant: { id: externalId, name: 'guest' } },
    headers: { authorization: `Bearer ${issuer.token}` },
  });
  const { accessToken: token, participantIdentity } = answer.json();
  const id = participantIdentity.slice('user-'.length, -'-0f1e2d'.length);
  return { id, email: `end_user:${id}`, name: 'guest', token };
}
