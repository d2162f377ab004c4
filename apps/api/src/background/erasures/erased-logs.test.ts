import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

async function addAgent({ deps }: TestApi, user: TestUser, sessionId: string): Promise<string> {
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: user.id };
  const part = { planId: null, envTemplateId: null, config: {} };
  await db.insertAgent(deps.database, { ...agent, ...part });
  return agent.id;
}

async function print(
  { deps }: TestApi,
  agentId: string,
  lines: string | Readonly<Record<string, number>>,
): Promise<void> {
  const times = typeof lines === 'string' ? { [lines]: Date.now() } : lines;
  const printedLines = Object.entries(times).map(([line, ms]) => ({ at: ms * 1000, line }));
  const end = await db.findLogEnd(deps.database, agentId);
  await db.appendLog(deps.database, agentId, end, printedLines);
}

async function printed({ sql }: db.DatabaseAccess, agentId: string): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select line from agent_logs cross join unnest(lines) line
    where agent_id = ${agentId} and line <> ''`;
  return rows.map(({ line }) => line);
}

test('an erasure that fails between the messages and the logs erases the logs before it is done', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const [agentId, other] = [
    await addAgent(api, ana, sessionId),
    await addAgent(api, ana, await api.createSession(ana, projectId)),
  ];
  for (const line of ['heard: zanzibar', 'answered']) await print(api, agentId, line);
  await print(api, other, 'kept');
  await db.appendMessages(api.deps.database, [said(sessionId, 'zanzibar')]);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await own.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refusing before update or delete on agent_logs for each row execute function refuse()`);
  await expect(carryOutErasures(api.deps)).rejects.toThrow('erasures failed');
  await own.sql.unsafe('drop function refuse cascade');
  await finishErasures(api, own);
  expect(await printed(own, agentId)).toEqual([]);
  expect(await printed(own, other)).toEqual(['kept']);
  const found = await db.findErasure(own, { id, userId: ana.id });
  expect(found?.erasure.counts).toMatchObject({ messages: 1, agentLogs: 2 });
});

test('a line that an agent printed before the erasure, and that is stored after it, is erased too', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const agentId = await addAgent(api, ana, sessionId);
  await print(api, agentId, 'started');
  await db.appendMessages(api.deps.database, [said(sessionId, 'zanzibar')]);
  await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await carryOutErasures(api.deps);
  expect(await printed(own, agentId)).toEqual([]);
  await print(api, agentId, 'heard: zanzibar');
  await finishErasures(api, own);
  expect(await printed(own, agentId)).toEqual([]);
});

test('what an agent printed before an erasure is not stored after it, and the lines keep their numbers', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const [agentId, other] = [
    await addAgent(api, ana, sessionId),
    await addAgent(api, ana, await api.createSession(ana, projectId)),
  ];
  const before = Date.now() - 10_000;
  await db.appendMessages(api.deps.database, [said(sessionId, 'zanzibar')]);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await print(api, agentId, { 'while it is open': before - 1 });
  await finishErasures(api, own);
  const after = Date.now() + 1000;
  for (const agent of [agentId, other]) {
    await print(api, agent, {
      'heard: zanzibar': before,
      answered: before + 1,
      'said later': after,
    });
  }
  expect(await printed(own, agentId)).toEqual(['said later']);
  expect(await printed(own, other)).toEqual(['heard: zanzibar', 'answered', 'said later']);
  expect(await db.findLogEnd(own, agentId)).toMatchObject({ nextLine: 4 });
  await own.sql`update erasures set finished_at = ${new Date(before - 1000).toISOString()} where id = ${id}`;
  await print(api, agentId, { 'said after the erasure': before });
  expect(await printed(own, agentId)).toEqual(['said later', 'said after the erasure']);
});

test('long logs are erased in steps, before the pass ends', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const agentId = await addAgent(api, ana, sessionId);
  await db.appendMessages(api.deps.database, [said(sessionId, 'zanzibar')]);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await carryOutErasures(api.deps);
  await own.sql`
    insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
    select ${agentId}, n, n * 9, 1, 9, now(), array[0], array['zanzibar'] from generate_series(1, 1000) n`;
  await own.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > 200 then raise 'refused'; end if;
      return null;
    end $$;
    create trigger refusing after delete on agent_logs referencing old table as gone for each statement execute function refuse()`);
  await finishErasures(api, own);
  await own.sql.unsafe('drop function refuse cascade');
  expect(await printed(own, agentId)).toEqual([]);
  expect(await own.sql`select first_line::int from agent_logs where agent_id = ${agentId}`).toEqual(
    [{ first_line: 1000 }],
  );
  const found = await db.findErasure(own, { id, userId: ana.id });
  expect(found?.erasure.counts).toMatchObject({ agentLogs: 1000 });
});
