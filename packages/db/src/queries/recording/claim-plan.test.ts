import { expect, test } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { CLAIM_SLOTS, markUnclaimableSessions } from './claim-slots.ts';

const SLOTS = 2000;
const BY_SESSION = ['recording_assignments_pkey', 'recording_assignments_session_recorder'];

test.for([CLAIM_SLOTS, markUnclaimableSessions])(
  'a plan from when all slots were free never looks through held slots for those of one session: $name',
  async ({ text }) => {
    await using project = await createTestProject();
    const { fill, sql, projectId, userId } = project;
    await fill`
    insert into sessions (id, project_id, name, created_by)
    select uuidv7(), ${projectId}, 'a talk', ${userId} from generate_series(1, ${SLOTS}::int)`;
    await fill`insert into recording_assignments (session_id) select id from sessions`;
    await fill`analyze`;
    // These indexes cost as much as the empty index of held slots, so chance decides between them. Without these
    // indexes, PostgreSQL uses the index of held slots if it can.
    await sql`
    update pg_index set indisvalid = false where indexrelid::regclass::text = any (${BY_SESSION})`;
    const plan = await sql.unsafe(`explain (generic_plan, costs off) ${text}`);
    const lines = plan.map((row) => String(row['QUERY PLAN']).trim());
    const ofSession = lines.filter((line) => line.includes('on recording_assignments other_slot'));
    expect(ofSession.length).toBeGreaterThan(0);
    expect(ofSession.filter((line) => line.includes('recording_assignments_recorder'))).toEqual([]);
  },
);

test('a claim keeps to its limit, even with a plan from when there was no slot', async () => {
  await using project = await createTestProject();
  await project.newSession();
  await project.fill`delete from recording_assignments`;
  await project.fill`analyze recording_assignments`;
  // The first choice is the first row, so that later rows are compared with a second choice.
  const [busy = ''] = await project.newSessions(4);
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${busy}`;
  const [recorderId] = [await addRecorder(project), await addRecorder(project)];
  const claimed = await project.sql.begin(async (sql) => {
    // All that could keep PostgreSQL from choosing again for each slot, which it does now and then by itself.
    for (const kind of ['hashjoin', 'mergejoin', 'indexscan', 'indexonlyscan', 'bitmapscan']) {
      await sql.unsafe(`set local enable_${kind} = off`);
    }
    return await sql.unsafe(CLAIM_SLOTS.text, [recorderId, 1, 9, false]);
  });
  expect(claimed).toHaveLength(1);
});
