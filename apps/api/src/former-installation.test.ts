import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '@session/db';
import { createFormerDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { TEST_HASH, TEST_PASSWORD } from '../testing/api.ts';
import { startApi } from '../testing/api-process.ts';
import { openVault } from './features/env-templates/vault.ts';

const SECRET = 'a secret of the former installation';
const USER = '01a1fd7a-c971-7694-8392-ef82743089a4';
const PROJECT = '01a1fd7a-0000-7694-8392-ef82743089a4';
const SESSION = '01a1fd7a-1111-7694-8392-ef82743089a4';
const TEMPLATE = '01a1fd7a-2222-7694-8392-ef82743089a4';
const JSON_TYPE = { 'content-type': 'application/json' };

test('an API of the former release starts again with its `.env`: accounts, history and templates are there', async () => {
  await using former = await createFormerDatabase(7);
  await using database = openDatabase(former.url, { connections: 1 });
  await insertRows(database);
  await using temp = await tempFolder();
  await writeFile(path.join(temp.folder, '.env'), `JWT_SECRET=${SECRET}\nAPI_DOCS=true\n`);
  await using api = await startApi(former.url, temp.folder, { JWT_SECRET: undefined });

  const login = await fetch(`${api.url}/auth/login`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ email: 'ana@example.org', password: TEST_PASSWORD }),
  });
  expect(login.status).toBe(200);
  const { token }: { token: string } = JSON.parse(await login.text());
  const ask = async (url: string, method = 'GET', body?: object) => {
    const headers = { ...(body && JSON_TYPE), authorization: `Bearer ${token}` };
    const sent = body && { body: JSON.stringify(body) };
    const response = await fetch(api.url + url, { method, headers, ...sent });
    return { code: response.status, ...Object(await response.json()) };
  };
  expect(await ask(`/sessions/${SESSION}/messages`)).toMatchObject({
    code: 200,
    items: [{ content: 'second' }, { content: 'first' }],
  });
  const since = encodeURIComponent('2026-01-01T00:00:00.000Z');
  expect(await ask(`/sessions/${SESSION}/messages/latest?since=${since}`)).toMatchObject({
    code: 200,
    items: [{ content: 'first' }, { content: 'second' }],
  });
  expect(await ask(`/sessions/${SESSION}/messages`, 'POST', { content: 'third' })).toMatchObject({
    code: 201,
  });
  // Names that are reserved now neither hide the template nor prevent its owner from correcting it.
  expect(await ask(`/env-templates/${TEMPLATE}`)).toMatchObject({
    code: 200,
    keys: expect.arrayContaining(['LLM_API_KEY', 'NODE_V8_COVERAGE']),
  });
  const variables = { NODE_V8_COVERAGE: null };
  expect(await ask(`/env-templates/${TEMPLATE}`, 'PATCH', { variables })).toMatchObject({
    code: 200,
    keys: ['LLM_API_KEY'],
  });
});

async function insertRows({ sql }: Database): Promise<void> {
  const template = { id: TEMPLATE, projectId: PROJECT };
  const variables = { LLM_API_KEY: 'sk', NODE_V8_COVERAGE: '/tmp/coverage' };
  const sealed = openVault([SECRET]).seal(variables, template);
  await sql.unsafe(`
    insert into users (id, email, password_hash, name) values ('${USER}', 'ana@example.org', '${TEST_HASH}', 'Ana');
    insert into projects (id, name) values ('${PROJECT}', 'project');
    insert into memberships (id, user_id, project_id, role) values (gen_random_uuid(), '${USER}', '${PROJECT}', 'OWNER');
    insert into sessions (id, project_id, name, created_by) values ('${SESSION}', '${PROJECT}', 'session', '${USER}');
    insert into messages (session_id, id, "timestamp", role, status, kind, content, metadata) values
      ('${SESSION}', '${uuidv7()}', now() - interval '2 min', 'user', 'complete', 'text', 'first', '{"kind": "text"}'),
      ('${SESSION}', '${uuidv7()}', now() - interval '1 min', 'assistant', null, 'transcript', 'second', '{"kind": "transcript"}');
    insert into session_heads (session_id, last_at, message_count) values ('${SESSION}', now() - interval '1 min', 2)`);
  await sql`
    insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext, is_default)
    values (${TEMPLATE}, ${PROJECT}, 'Template', ${Object.keys(variables)}, ${sealed.keyId}, ${sealed.nonce}, ${sealed.ciphertext}, true)`;
}

async function tempFolder(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'api-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
