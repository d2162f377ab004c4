import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addKey, CAUSES } from '../../../testing/audit-causes.ts';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { HASH, SECRET } from '../../../testing/template-causes.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { deleteAccount } from '../accounts/account-changes.ts';
import { upsertEndUser } from '../accounts/end-users.ts';
import { updateRole } from '../accounts/membership-changes.ts';
import { updateProject } from '../accounts/projects.ts';
import { deleteProjects, markProjectDeleted } from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import {
  deleteAuditEventsOfProjects,
  deleteOldAuditEvents,
  listAuditEvents,
  WALKED_EVENTS,
} from './audit-events.ts';

const REPEATED = new Set([
  'api_key.rotated',
  'invitation.created',
  'webhook.created',
  'webhook.replayed',
]);

const causes = Object.entries(CAUSES);

test.for(causes)(
  '%s: one event, stored with its cause, and none of a repeat',
  async ([action, prepare], { project }) => {
    const { act, actor, target, detail } = await prepare(project);
    await project.sql`delete from audit_events`;
    await inTransaction(project, act);
    const [event, ...others] = await eventsOf(project);
    expect(event).toEqual({
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      actor: actor === null ? null : { id: project.userId, name: 'Someone', kind: 'person' },
      action,
      target,
      detail,
    });
    expect(others).toEqual([]);
    const [{ text } = { text: '' }] = await project.sql`
    select coalesce(string_agg(event::text, ''), '') as text from audit_events event`;
    for (const form of [SECRET, HASH.toString('hex'), HASH.toString('base64')]) {
      expect(text).not.toContain(form);
    }
    // Each of these actions creates another secret, or sends something again.
    if (REPEATED.has(action)) return;
    await act(project).catch(() => {});
    expect(await eventsOf(project)).toHaveLength(1);
  },
);

test.for(causes)(
  '%s: a transaction that is undone leaves neither the cause nor its event',
  async ([, prepare], { project }) => {
    const { act } = await prepare(project);
    const before = await rowsOf(project);
    const undone = inTransaction(project, async (transaction) => {
      await act(transaction);
      expect(await rowsOf(transaction)).not.toEqual(before);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rowsOf(project)).toEqual(before);
  },
);

test.for(causes)(
  '%s: nothing is done whose event cannot be stored',
  async ([, prepare], { project }) => {
    const { act } = await prepare(project);
    const before = await rowsOf(project);
    await project.sql`alter table audit_events add constraint no_more check (false) not valid`;
    try {
      await expect(act(project)).rejects.toMatchObject({ code: '23514' });
    } finally {
      await project.sql`alter table audit_events drop constraint no_more`;
    }
    expect(await rowsOf(project)).toEqual(before);
  },
);

// The sessions of a project, and what belongs to them, are deleted before the project.
const ofProject = causes.filter(([action]) => !/^(agent|end_user|session)\./.test(action));

test.for(ofProject)(
  '%s: waits for a deletion of the project, which never waits for it',
  async ([, prepare], { project }) => {
    const { act } = await prepare(project);
    const waiting = async () => {
      const [row] = await project.sql<{ count: number }[]>`
      select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.count;
    };
    const { acting } = await inTransaction(project, async ({ sql }) => {
      // A deletion locks the row of the project, and then what belongs to the project.
      await sql`select from projects where id = ${project.projectId} for update`;
      const code = act({ sql: project.fill }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      await expect.poll(waiting).toBe(1);
      await sql`delete from projects where id = ${project.projectId}`;
      return { acting: { code } };
    });
    // A row that refers to the project is refused, and no transaction fails in a deadlock (40P01).
    expect(['done', '23503']).toContain(await acting.code);
  },
);

test('who leaves with the account is removed by themselves, and has no name any more', async ({
  project,
}) => {
  const { userId } = await project.newMember();
  await deleteAccount(project, userId);
  expect(
    (await eventsOf(project)).map(({ action, actor, detail }) => ({ action, actor, detail })),
  ).toEqual([
    {
      action: 'member.removed',
      actor: { id: userId, name: 'Deleted user', kind: 'person' },
      detail: { name: 'Deleted user', role: 'MEMBER' },
    },
    { action: 'member.added', actor: null, detail: { name: 'Deleted user', role: 'MEMBER' } },
  ]);
});

test('a role that is given again, and the token that another account gets for an end user, are no events', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const member = await project.newMember('ADMIN');
  const sessionId = await project.newSession();
  const endUser = { id: uuidv7(), projectId, externalId: 'customer-7', name: 'Ada', sessionId };
  await upsertEndUser(project, { ...endUser, issuedBy: userId });
  const before = await eventsOf(project);
  await upsertEndUser(project, { ...endUser, issuedBy: member.userId });
  const seen = { projectId, userId: member.userId, seenRole: 'ADMIN', by: userId } as const;
  expect(await updateRole(project, seen, 'ADMIN')).toBe('done');
  expect(await eventsOf(project)).toEqual(before);
});

test('what the service does by itself has no actor, and what a key does has the key', async ({
  project,
}) => {
  const [idle = '', other = ''] = await project.newSessions(2);
  const key = await addKey(project);
  await closeSession(project, idle, 'idle');
  await closeSession(project, other, 'user', key.id);
  const events = await eventsOf(project, { action: 'session.closed' });
  expect(events.map(({ actor, target, detail }) => ({ actor, target, detail }))).toEqual([
    {
      actor: { id: key.id, name: 'Backend', kind: 'api_key' },
      target: other,
      detail: { reason: 'user' },
    },
    { actor: null, target: idle, detail: { reason: 'idle' } },
  ]);
});

test('pages of any filter, read to their end, are the filter of the whole list', async ({
  project,
}) => {
  const [ana, ben] = [project.userId, (await project.newMember()).userId];
  await project.sql`delete from audit_events`;
  // Several events have the same time.
  await project.sql`
    insert into audit_events (id, project_id, at, actor, action, target)
    select gen_random_uuid(), ${project.projectId}, '2026-11-21'::timestamptz + n / 7 * interval '1 s',
      case when n % 3 = 0 then ${ana}::uuid when n % 3 = 1 then ${ben}::uuid end,
      case when n % 4 = 0 then 'session.closed' else 'session.deleted' end, n
    from generate_series(0, 99) n`;
  const whole = await pageOf(project, { limit: 100 });
  const all = whole?.events ?? [];
  expect(all).toHaveLength(100);
  expect(whole?.nextCursor).toBeNull();
  for (const action of [undefined, 'session.closed', 'project.renamed']) {
    for (const actor of [undefined, ana, ben]) {
      const found = [];
      for (let cursor: string | undefined; ; ) {
        const page = await pageOf(project, { action, actor, cursor, limit: 7 });
        found.push(...(page?.events ?? []));
        if (!page?.nextCursor) break;
        cursor = page.nextCursor;
      }
      const expected = all.filter(
        (event) =>
          (action === undefined || event.action === action) &&
          (actor === undefined || event.actor?.id === actor),
      );
      expect(found).toEqual(expected);
    }
  }
});

test('a page walks a bounded part of the events, and leads on behind it', async ({ project }) => {
  const { projectId, userId } = project;
  await project.fill`
    insert into audit_events (id, project_id, at, actor, action, target)
    select gen_random_uuid(), ${projectId}, '2026-11-21'::timestamptz - n * interval '1 s', ${userId},
      case when n = ${WALKED_EVENTS} then 'session.deleted' else 'session.closed' end, n
    from generate_series(0, ${WALKED_EVENTS}) n`;
  const first = await pageOf(project, { action: 'session.deleted', limit: 10 });
  expect(first?.events).toEqual([]);
  const second = await pageOf(project, {
    action: 'session.deleted',
    limit: 10,
    cursor: first?.nextCursor ?? undefined,
  });
  expect(second?.events.map(({ target }) => target)).toEqual([`${WALKED_EVENTS}`]);
  expect(second?.nextCursor).toBeNull();
});

test('members of another project see no events, and a cursor of another project is unknown', async ({
  project,
}) => {
  const elsewhere = await project.newProject();
  await updateProject(project, project.projectId, { name: 'New' });
  const [event] = await eventsOf(project);
  const page = { limit: 5, projectId: project.projectId, userId: elsewhere.userId };
  expect(await listAuditEvents(project, page)).toBeUndefined();
  const foreign = await listAuditEvents(project, { ...elsewhere, limit: 5, cursor: event?.id });
  expect(foreign?.isCursorKnown).toBe(false);
  expect(await listAuditEvents(project, { ...elsewhere, limit: 5 })).toMatchObject({ events: [] });
});

test('events are kept for 400 days, and those of a deleted project go before it, both in batches', async ({
  project,
}) => {
  const { projectId } = project;
  const kept = await project.newProject();
  for (const id of [projectId, kept.projectId]) {
    await project.sql`
      insert into audit_events (id, project_id, at, action, target)
      select gen_random_uuid(), ${id}, now() - n * interval '1 day', 'session.closed', n
      from unnest(array[1, 399, 400, 401]) n`;
  }
  expect(await deleteOldAuditEvents(project, 3)).toBe(3);
  expect(await deleteOldAuditEvents(project, 3)).toBe(1);
  expect(await deleteOldAuditEvents(project, 3)).toBe(0);
  await markProjectDeleted(project, projectId);
  expect(await deleteAuditEventsOfProjects(project, 1)).toBe(1);
  expect(await deleteProjects(project)).toEqual([]);
  expect(await deleteAuditEventsOfProjects(project, 5)).toBe(1);
  expect(await deleteProjects(project)).toEqual([projectId]);
  const left = await project.sql`select project_id, target from audit_events order by target`;
  expect(left).toEqual(['1', '399'].map((target) => ({ project_id: kept.projectId, target })));
});

async function pageOf(
  { sql, projectId, userId }: TestProject,
  page: Omit<Parameters<typeof listAuditEvents>[1], 'projectId' | 'userId'>,
) {
  return await listAuditEvents({ sql }, { projectId, userId, ...page });
}

async function eventsOf(project: TestProject, page: { action?: string; limit?: number } = {}) {
  return (await pageOf(project, { limit: 20, ...page }))?.events ?? [];
}

/** Returns the rows of all tables that a cause changes. */
async function rowsOf({ sql }: DatabaseAccess): Promise<unknown> {
  const tables = [
    'users',
    'projects',
    'memberships',
    'removed_members',
    'api_keys',
    'ended_tokens',
  ];
  const others = ['sessions', 'session_heads', 'session_end_users', 'agents', 'audit_events'];
  const rows: unknown[] = [];
  for (const table of [...tables, ...others, 'env_templates', 'plan_templates']) {
    rows.push(await sql.unsafe(`select * from ${table} stored order by stored::text`));
  }
  return rows;
}
