import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { plainProgress } from '@session/local';
import type { PostgresContext } from '@session/testing';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { benchReads } from './bench-reads.ts';
import { provideRows } from './load-rows.ts';
import { Servers } from './servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresContext;
  }
}

const ROWS = 10_000;

test('the bench loads its rows once, and the bare server answers as the API does', async () => {
  const { adminUrl } = inject('postgres');
  await using stack = new AsyncDisposableStack();
  const admin = stack.adopt(postgres(adminUrl, { max: 1 }), (sql) => sql.end());
  stack.defer(async () => void (await admin.unsafe(`drop database bench_${ROWS} with (force)`)));
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const notes: string[] = [];
  const url = await provideRows(adminUrl, ROWS, (note) => notes.push(note));
  const loadedMessages = notes.length;
  expect(await provideRows(adminUrl, ROWS, (note) => notes.push(note))).toBe(url);
  expect([loadedMessages > 0, notes.length]).toEqual([true, loadedMessages]);
  const servers = stack.use(new Servers(folder));
  const { signal } = new AbortController();
  const progress = plainProgress(() => {});
  const report = await benchReads(
    servers,
    { url, smallUrl: undefined, former: undefined },
    { rounds: 1, roundMs: 20, progress, stop: signal },
  );
  expect(report).toMatch(/newest page +\|/);
  expect(report).toMatch(/^by API keys \/ by tokens: newest page of long sessions: \d/m);
});
