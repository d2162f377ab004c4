import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as db from '@session/db';
import { programEnv, serviceProgram } from '@session/testing';
import { expect, onTestFinished } from 'vitest';
import { erase, finishErasures, said, erasureTest as test } from '../testing/erasure-test.ts';
import { carryOutErasures } from './background/erasures/carry-out-erasures.ts';
import { deleteRows } from './background/housekeeping/deleted-rows.ts';

const operations = new URL('../../../docs/operations.md', import.meta.url);

test('what was erased after the backup is erased again after its restore, and once', async ({
  api,
  ana,
  own,
  databaseUrl,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const token = await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${sessionId}/token`,
    payload: { participant: { id: 'customer-7', name: 'Grace' } },
  });
  const { participantIdentity: identity } = token.json();
  const whole = await api.createSession(ana, projectId);
  const messages = [
    said(sessionId, 'by id', 'user-1'),
    said(sessionId, 'by identity', 'Ada'),
    said(sessionId, 'by end user', identity),
    said(sessionId, 'kept', 'user-1'),
    said(whole, 'whole session', 'user-1'),
  ];
  await db.appendMessages(database, messages);
  const contents = async () => {
    const rows = await own.sql<{ id: string; content: string }[]>`select id, content from messages`;
    const stored = new Map(rows.map((row) => [row.id, row.content]));
    return messages.map(({ id }) => stored.get(id));
  };
  await backUp(own);
  const requested = [];
  for (const scope of [
    { sessionId, messageIds: [messages[0]?.id] },
    { sessionId, identity: 'Ada' },
    { participantId: 'customer-7' },
    { sessionId: whole },
  ]) {
    requested.push(await erase(api, ana, projectId, scope));
  }
  await carryOutErasures(api.deps);
  await deleteRows(api.deps);
  await finishErasures(api, own);
  const erased = ['', '', '', 'kept', undefined];
  expect(await contents()).toEqual(erased);
  const page = async () => {
    const listed = await api.inject(ana, { url: `/projects/${projectId}/erasures` });
    return listed.json();
  };
  const receipts = await page();
  // `finishErasures` has moved the times of the requests back.
  for (const receipt of receipts.items) {
    receipt.requestedAt = requested.find(({ id }) => id === receipt.id).requestedAt;
  }
  await restore(own);
  expect(await contents()).toEqual(messages.map(({ content }) => content));
  expect(await page()).toMatchObject({ items: [] });
  // A page of receipts, and one of its receipts again.
  const lines = [JSON.stringify(receipts), '', JSON.stringify(receipts.items[0]), ''].join('\n');
  expect(await eraseAgain(databaseUrl, lines)).toContain(
    '5 receipts · repeated 4 · known already 1 · of projects that are gone 0\n',
  );
  expect(await contents()).toEqual([...erased.slice(0, 4), 'whole session']);
  expect((await api.inject(ana, { url: `/sessions/${whole}` })).statusCode).toBe(404);
  expect(await own.sql`select from users where name = 'Grace'`).toHaveLength(0);
  await deleteRows(api.deps);
  await finishErasures(api, own);
  expect(await contents()).toEqual(erased);
  const proofs = ({ items }: typeof receipts) =>
    new Map(
      items.map(({ id, digest, scope, requestedBy, counts }: (typeof items)[0]) => [
        id,
        { digest, scope, requestedBy, messages: counts.messages },
      ]),
    );
  expect(proofs(await page())).toEqual(proofs(receipts));
  expect(await eraseAgain(databaseUrl, lines)).toContain('repeated 0 · known already 5 ·');
});

test('the receipts that operators keep are taken, and those of projects that are gone are counted', async ({
  api,
  ana,
  own,
  databaseUrl,
  projectId,
  sessionId,
}) => {
  const gone = await api.createProject(ana);
  await erase(api, ana, projectId, { sessionId, identity: 'Ada' });
  await erase(api, ana, gone, { participantId: 'customer-7' });
  const [, query = ''] = /psql .*-Atc "(.*)" >/.exec(await readFile(operations, 'utf8')) ?? [];
  const rows = await own.sql.unsafe(`${query} where project_id in ('${projectId}', '${gone}')`);
  const lines = rows.map((row) => JSON.stringify(Object.values(row)[0])).join('\n');
  await own.sql`delete from erasures where project_id in (${projectId}, ${gone})`;
  await db.markProjectDeleted(own, gone);
  expect(await eraseAgain(databaseUrl, lines)).toContain(
    '2 receipts · repeated 1 · known already 0 · of projects that are gone 1\n',
  );
});

test('each faulty line is named, nothing is erased, and the exit code is 1', async ({
  own,
  databaseUrl,
}) => {
  const id = '01a1fd7a-c971-7694-8392-ef82743089a4';
  const receipt = { id, projectId: id, requestedBy: id, requestedAt: '2026-01-01T00:00:00Z' };
  const lines = [
    { ...receipt, scope: { sessionId: id } },
    'hello',
    { ...receipt, scope: {} },
    { ...receipt, scope: { sessionId: id }, requestedAt: '2999-01-01T00:00:00Z' },
    { items: [{ ...receipt, id: 'x', scope: { sessionId: id } }] },
  ].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const before = await own.sql`select from erasures`;
  await expect(eraseAgain(databaseUrl, lines.join('\n'))).rejects.toMatchObject({
    code: 1,
    stderr: [
      'Nothing was erased. Correct these lines, then start again:',
      'line 2: this is not JSON',
      'line 3: scope: send one of sessionId, sessionId with messageIds, sessionId with identity, userId, participantId',
      'line 4: requestedAt: is in the future',
      'line 5: items.0.id: a UUID is needed',
      '',
    ].join('\n'),
  });
  expect(await own.sql`select from erasures`).toHaveLength(before.length);
  await expect(run(databaseUrl)).rejects.toMatchObject({
    code: 1,
    stderr: 'Name the file with the receipts, one receipt per line, for example: erasures.jsonl\n',
  });
  await expect(run(databaseUrl, '/nowhere')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('/nowhere cannot be read: '),
  });
});

async function eraseAgain(url: string, lines: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'erasures-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'erasures.jsonl');
  await writeFile(file, lines);
  return await run(url, file);
}

async function run(url: string, ...files: string[]): Promise<string> {
  const env = { ...programEnv(), DATABASE_URL: url };
  const command = [serviceProgram('api', 'erase-again'), ...files];
  return (await promisify(execFile)(process.execPath, command, { env })).stdout;
}

/** Copies all tables apart from those of templates, which have generated columns. */
async function backUp({ sql }: db.Database): Promise<void> {
  await sql.unsafe(
    `create schema backup; ${forEachTable('create table backup.%1$I as table %1$I')}`,
  );
}

/** Restores the tables to what they held at the backup. */
async function restore({ sql }: db.Database): Promise<void> {
  const text = 'delete from %1$I; insert into %1$I select * from backup.%1$I';
  await sql.unsafe(forEachTable(text));
}

function forEachTable(text: string): string {
  return `
  do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select relname from pg_class table_ where relkind = 'r' and relnamespace = 'public'::regnamespace
      and not exists (select from pg_attribute where attrelid = table_.oid and attgenerated <> '') loop
      execute format('${text}', name);
    end loop;
  end $$`;
}
