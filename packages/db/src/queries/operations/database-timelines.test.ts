import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { closeRestoredHistory } from '../recording/restored-history.ts';
import { countReplacements, noteTimeline } from './database-timelines.ts';

test('the first server of a database replaces none', async ({ project }) => {
  expect(await noteTimeline(project)).toBeUndefined();
  expect(await noteTimeline(project)).toBeUndefined();
  expect(await countReplacements(project)).toBe(0);
});

test.for([
  ['timeline, as after a promotion', '(select system_identifier from pg_control_system()), 0'],
  ['system identifier, as after pg_restore', '0, 1'],
])(
  'a server with another %s counts for a day, or until it is prepared',
  async ([, noted], { project }) => {
    const { sql } = project;
    await sql.unsafe(`insert into database_timelines values (${noted}, now() - interval '1 s')`);
    const [server] = await sql`select system_identifier::text as id from pg_control_system()`;
    expect(await noteTimeline(project)).toEqual({ systemIdentifier: server?.['id'], timeline: 1 });
    expect(await noteTimeline(project)).toBeUndefined();
    expect(await countReplacements(project)).toBe(1);
    await sql`update database_timelines set noted_at = noted_at - interval '23 h 59 min'`;
    expect(await countReplacements(project)).toBe(1);
    await inTransaction(project, async (moment) => {
      await moment.sql`update database_timelines set noted_at = noted_at - interval '2 min'`;
      expect(await countReplacements(moment)).toBe(0);
      await moment.sql`update database_timelines set noted_at = noted_at + interval '2 min'`;
    });
    await closeRestoredHistory(project);
    expect(await countReplacements(project)).toBe(0);
  },
);

test('a server that is prepared before any program uses it is never reported, and the next one is', async ({
  project,
}) => {
  const { sql } = project;
  await sql`insert into database_timelines values (0, 1, now() - interval '1 h')`;
  await closeRestoredHistory(project);
  expect(await noteTimeline(project)).toBeUndefined();
  expect(await countReplacements(project)).toBe(0);
  // All of this was a minute ago, on the timeline before.
  await sql`update database_timelines set timeline = timeline - 1, noted_at = noted_at - interval '1 min'`;
  await sql`update restores set floor_at = floor_at - interval '1 min'`;
  expect(await noteTimeline(project)).toMatchObject({ timeline: 1 });
  expect(await countReplacements(project)).toBe(1);
});

test('the role of a program needs no special rights', async ({ project }) => {
  await inTransaction(project, async (moment) => {
    await moment.sql`grant insert, select on database_timelines, restores to pg_signal_backend`;
    await moment.sql`set local role pg_signal_backend`;
    expect(await noteTimeline(moment)).toBeUndefined();
    expect(await countReplacements(moment)).toBe(0);
    expect(await moment.sql`select from database_timelines`).toHaveLength(1);
    await moment.sql`reset role`;
  });
});
