import { openDatabase } from '@session/db';
import { startMediaServer } from '@session/testing';
import { expect, test } from 'vitest';
import { TEST_PASSWORD } from '../testing/api.ts';
import { createOwnedDatabase, urlOf } from '../testing/database-roles.ts';
import { startKeyLoad } from '../testing/key-load.ts';
import { RollingApis } from '../testing/rolling-apis.ts';
import { readTables } from '../testing/secrets.ts';

const secret = (name: string) => `${name}, a secret of 32 bytes or more`;
const [formerJwt, presentJwt] = [secret('former JWT'), secret('present JWT')];
const [formerKey, presentKey] = [secret('former encryption'), secret('present encryption')];
const presentMedia = { MEDIA_API_KEY: 'present', MEDIA_API_SECRET: secret('present media') };

test('every key is changed under load, in the steps of the guide: no request is refused, and nobody is logged out', async () => {
  await using database = await createOwnedDatabase();
  const spareKeys = { [presentMedia.MEDIA_API_KEY]: presentMedia.MEDIA_API_SECRET };
  await using media = await startMediaServer({ spareKeys });
  const unlimited = { SESSION_CAPACITY_PER_ACCOUNT: '0', RATE_LIMIT_LOGIN_PER_MINUTE: '0' };
  const shared = { MEDIA_URL: media.url, ...unlimited };
  const formerMedia = { MEDIA_API_KEY: media.apiKey, MEDIA_API_SECRET: media.apiSecret };
  const former = { ...shared, ...formerMedia, JWT_SECRET: formerJwt, ENCRYPTION_KEY: formerKey };
  await using apis = new RollingApis();
  await apis.start(database.ownerUrl, former);
  const objects = await apis.ask(async (api) => {
    const user = await api.createUser();
    const projectId = await api.createProject(user);
    const sessionId = await api.createSession(user, projectId);
    const url = `/projects/${projectId}/env-templates`;
    const payload = { name: 'keys', variables: { LLM_API_KEY: 'first' } };
    const template = await api.inject(user, { method: 'POST', url, payload });
    return { user, projectId, sessionId, templateId: String(template.json().id) };
  });
  await using admin = openDatabase(database.adminUrl, { connections: 1 });
  const keyIds = async () => {
    const rows = await admin.sql<{ id: string }[]>`select distinct key_id as id from env_templates`;
    return rows.map(({ id }) => id);
  };
  const [formerKeyId] = await keyIds();

  const load = startKeyLoad(apis, objects, media.url);
  const worked = async () => {
    const before = { ...load.counts };
    await expect
      .poll(
        () => Object.entries(load.counts).every(([name, count]) => count > (before[name] ?? 0) + 1),
        {
          timeout: 60_000,
        },
      )
      .toBe(true);
  };

  // First, all programs also accept the new keys, and the new role can log in.
  const { owner, name } = database;
  const next = `${owner}_next`;
  await admin.sql.unsafe(`create role ${next} login password 'second' in role ${owner}`);
  await admin.sql.unsafe(`alter role ${next} in database ${name} set role = '${owner}'`);
  const accepting = { JWT_SECRET_PREVIOUS: presentJwt, ENCRYPTION_KEY_PREVIOUS: presentKey };
  await apis.roll(database.ownerUrl, { ...former, ...accepting }, worked);

  // Then all programs use the new keys and the new role, and still accept the former keys.
  const nextUrl = urlOf(database.adminUrl, next, 'second');
  const present = {
    ...shared,
    ...presentMedia,
    JWT_SECRET: presentJwt,
    JWT_SECRET_PREVIOUS: formerJwt,
    ENCRYPTION_KEY: presentKey,
  };
  await apis.roll(nextUrl, { ...present, ENCRYPTION_KEY_PREVIOUS: formerKey }, worked);
  await worked();
  const [presentKeyId, ...others] = await keyIds();
  expect(others).toEqual([]);
  expect(presentKeyId).not.toBe(formerKeyId);

  // At last, no program accepts the former keys, and the former role cannot log in.
  const connectionsOfOwner = () => admin.sql`
    select 1 from pg_stat_activity where usename = ${owner} and datname = ${name}`;
  await expect.poll(connectionsOfOwner, { timeout: 60_000 }).toEqual([]);
  await admin.sql.unsafe(`alter role ${owner} nologin password null`);
  await apis.roll(nextUrl, present, worked);
  await load.end();
  expect(load.faults).toEqual([]);
  // A dump of the database holds none of the keys, and no value of a template.
  const secrets = [formerJwt, presentJwt, formerKey, presentKey, media.apiSecret];
  const values = [...secrets, presentMedia.MEDIA_API_SECRET, 'key 1', TEST_PASSWORD];
  const dump = await readTables(database.adminUrl);
  expect(dump).toContain(objects.templateId);
  for (const encoding of ['utf8', 'hex', 'base64'] as const) {
    const found = values.filter((value) => dump.includes(Buffer.from(value).toString(encoding)));
    expect(found).toEqual([]);
  }
  // What a migration of a later release creates belongs to the former role.
  await using own = openDatabase(nextUrl, { connections: 1 });
  await own.sql`create table created_later (it int)`;
  const [table] = await admin.sql`
    select tableowner as owner from pg_tables where tablename = 'created_later'`;
  expect(table?.['owner']).toBe(owner);
}, 240_000);
