import { expect, test } from 'vitest';
import { withoutTerms } from '../../../testing/many-rows.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { markSessionDeleted, markSessionsOfProject } from './deletions.ts';
import { closeSession } from './session-end.ts';
import { listUnmarkedSessions, type MarkingPlace } from './unmarked-sessions.ts';

const PLACE_BEFORE_ALL = ['ACTIVE', 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

async function markOnlyProject({ sql, projectId }: TestProject): Promise<void> {
  await sql`update projects set deleted_at = now() where id = ${projectId}`;
}

test('ACTIVE sessions come first, and one that is closed meanwhile comes later, but once', async () => {
  await using project = await createTestProject();
  const { projectId } = project;
  const [first = '', second = '', closed = '', marked = '', last = ''] =
    await project.newSessions(5);
  await closeSession(project, closed, 'idle');
  await markSessionDeleted(project, marked);
  const list = async (limit: number, place?: MarkingPlace) =>
    await listUnmarkedSessions(project, projectId, limit, place);
  expect(await list(9)).toEqual({ ids: [], next: undefined });
  await markOnlyProject(project);
  expect((await list(9)).ids).toEqual([last, second, first, closed]);
  const [one, two] = [await list(1), await list(2)];
  expect([one.ids, two.ids]).toEqual([[last], [last, second]]);
  await closeSession(project, second, 'idle');
  const rest = await list(2, one.next);
  expect(rest.ids).toEqual([first, closed]);
  expect(await list(2, rest.next)).toEqual({ ids: [second], next: undefined });
});

test('of 20,000 sessions of which 19,000 are marked no call reads more than 2,000, and the others are found', async () => {
  await using project = await createTestProject();
  const { fill, projectId, userId } = project;
  await withoutTerms(
    fill,
    async () =>
      await fill`
        insert into sessions (id, project_id, name, created_by, status, close_reason, created_at, closed_at, deleted_at)
        select gen_random_uuid(), ${projectId}, 'a talk', ${userId}, 'CLOSED', 'user',
          now() - n * interval '1 s', now(), case when n <= 19000 then now() end
        from generate_series(1, 20000) n`,
  );
  await fill`
    insert into session_heads (session_id, last_at) select id, now() from sessions where deleted_at is null`;
  await markOnlyProject(project);
  await fill`analyze`;
  const [middle] = await fill<{ place: string[] }[]>`
    select array[status, created_at::text, id::text] as place from sessions
    where deleted_at is not null order by created_at limit 1`;
  for (const place of [PLACE_BEFORE_ALL, middle?.place ?? []]) {
    const [explained] = await fill.unsafe(
      `explain (analyze, buffers, format json) ${listUnmarkedSessions.text}`,
      [projectId, 500, ...place],
    );
    const plan = explained?.['QUERY PLAN'][0].Plan;
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(2000);
  }
  const counts: number[] = [];
  let place: MarkingPlace | undefined;
  do {
    const { count, next } = await markSessionsOfProject(project, projectId, { place });
    counts.push(count);
    place = next;
  } while (place);
  expect(counts).toEqual([...Array(9).fill(0), 500, 500, 0]);
  expect(await fill`select from sessions where deleted_at is null`).toHaveLength(0);
});
