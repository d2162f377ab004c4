import type { MutatedFile } from '../mutant.ts';

const queries = 'packages/db/src/queries';
const appends = ['append-messages', 'append-batch', 'same-id', 'stopped-agent-messages'].map(
  (name) => `${queries}/messages/${name}.test.ts`,
);
const sinceJoin = 'apps/api/src/features/messages/history-since-join.test.ts';
const audit = `${queries}/operations/audit-events.test.ts`;
const restores = `${queries}/recording/restored-history.test.ts`;

export const db: readonly MutatedFile[] = [
  {
    file: `${queries}/messages/read-messages.ts`,
    tests: [`${queries}/messages/read-messages.test.ts`, sinceJoin],
    changes: [
      ['  and cursor_message."timestamp" > ', "  and 'infinity' >= "],
      ["? ['>', start] : ['<', ", "? ['>=', start] : ['<=', "],
    ],
  },
  {
    file: `${queries}/messages/latest-messages.ts`,
    tests: [`${queries}/messages/latest-messages.test.ts`, sinceJoin],
    changes: [
      ['coalesce(completed."timestamp" > $5::timestamptz, true)', 'true'],
      ['from !== null && from > since ? from : since', 'since'],
      ['completed.completed_at > $', 'completed.completed_at >= $'],
      ['stored."timestamp" > ${si', 'stored."timestamp" >= ${si'],
      ['and stored.completed_at is null', ''],
      ['rows.length > limit ||', 'rows.length >= limit ||'],
      ['lastAt < since ? lastAt : since', 'since'],
    ],
  },
  {
    file: `${queries}/messages/reset-position.ts`,
    changes: [
      ['> restored.end_at', '>= restored.end_at'],
      ['case when head.last_at <= restore.floor_at then head.last_at end,', ''],
      ['and not exists (select from restores', 'and exists (select from restores'],
      ['order by restore.floor_at', 'order by restore.floor_at desc'],
      ['select restored.floor_at', 'select restored.end_at'],
    ],
  },
  {
    file: `${queries}/operations/database-timelines.ts`,
    changes: [
      ['where exists (select from database_timelines)', ''],
      ["interval '1 day'", "interval '2 days'"],
      ['former.noted_at < present.noted_at', 'former.noted_at <= present.noted_at'],
      ['restore.floor_at > present.noted_at', 'restore.floor_at < present.noted_at'],
    ],
  },
  {
    file: `${queries}/sessions/session-events.ts`,
    changes: [
      ['(select max(floor_at) from restores),', ''],
      ["interval '30 days'", "interval '31 days'"],
      ["where deleted.type = 'session.deleted'", "where deleted.type = 'session.closed'"],
    ],
  },
  {
    file: `${queries}/accounts/invitations.ts`,
    changes: [
      ["creator.role = 'ADMIN' and invitation.role = 'MEMBER'", "creator.role = 'ADMIN'"],
      ['invitation.expires_at > now() and exists (', 'exists ('],
      [
        'with accepted as (\n  delete from invitations invitation\n  where invitation.secret_hash = $1 and $',
        'with accepted as (\n  delete from invitations invitation\n  where invitation.secret_hash = $1 or false and $',
      ],
      ['RANK[member.memberRole] >= RANK[role]', 'true'],
      ["projectId, email)) return 'already_member';", 'projectId, email)) {}'],
    ],
  },
  {
    file: `${queries}/accounts/password-links.ts`,
    changes: [
      ['    await LOCK_USER(transaction, userId);\n', ''],
      ["now() + interval '1 h'", "now() + interval '2 h'"],
    ],
  },
  {
    file: `${queries}/messages/append-batch.ts`,
    tests: [...appends, `${queries}/messages/dead-leader.test.ts`, restores],
    changes: [
      ["former.status = 'pending'", 'true'],
      ['numbered.number + greatest(', 'greatest('],
      ['bounds.floor_ms,', ''],
      ['+ 1000 as latest_ms', '+ 2000 as latest_ms'],
      ['head.message_count + progress.inserted', 'head.message_count'],
      ["interval '1 min'", "interval '2 min'"],
      ["and own_interval.end_reason = 'recorder_died'", ''],
      ["setColumn('completed_at', '\"timestamp\"')", "setColumn('completed_at')"],
    ],
  },
  {
    file: `${queries}/messages/same-id.ts`,
    tests: appends,
    changes: [
      ["if (kept[1].status !== 'pending') return kept;", ''],
      ['if (isOtherText(message, kept)) ignored', 'ignored'],
      ["one.kind === 'recording_gap' && other.kind === 'recording_gap'", 'false'],
    ],
  },
  {
    file: `${queries}/messages/page-bytes.ts`,
    changes: [['page.text_through - page.text_bytes <', 'page.text_through <']],
  },
  {
    file: `${queries}/messages/spoken-messages.ts`,
    changes: [
      ["message.status is distinct from 'pending'", 'true'],
      ['"timestamp" > $2::timestamptz', '"timestamp" >= $2::timestamptz'],
    ],
  },
  {
    file: `${queries}/operations/audit-events.ts`,
    changes: [
      ['and cursor_event.project_id = $1', ''],
      ['or walked.place =', 'or 0 = walked.place and 0 ='],
      ['Number(last?.place) === WALKED_EVENTS', 'false'],
      ['found.length > limit ?', 'found.length >= limit ?'],
      ["interval '400 days'", "interval '401 days'"],
      ['where project.deleted_at is not null', ''],
    ],
  },
  {
    file: `${queries}/accounts/membership-changes.ts`,
    tests: [audit],
    changes: [
      ['changed where role <> former_role', 'changed'],
      ["from: 'added'", "from: 'project, member'"],
    ],
  },
  {
    file: `${queries}/accounts/end-users.ts`,
    tests: [audit, `${queries}/accounts/end-users.test.ts`],
    changes: [
      ['let_in where is_first', 'let_in'],
      ['coalesce(participant.first_at, excluded.first_at)', 'excluded.first_at'],
      ["greatest(head.last_at, now() - interval '1 s')", 'now()'],
    ],
  },
  {
    file: `${queries}/accounts/projects.ts`,
    tests: [audit, `${queries}/accounts/projects.test.ts`],
    changes: [
      ['changed where name <> former_name', 'changed'],
      ['changed where days is distinct from former_days', 'changed'],
      ['coalesce($2, name)', '$2'],
      ['coalesce($3, retention_days)', '$3'],
    ],
  },
  {
    file: `${queries}/templates/plan-templates.ts`,
    tests: [audit],
    changes: [
      [
        '(given.name, given.description, given.steps)\n      is distinct from',
        'true or (template.name, template.description, template.steps)\n      is distinct from',
      ],
      ['where id = $2 and deleted_at is null for key share', 'where id = $2'],
    ],
  },
  {
    file: `${queries}/operations/leases.ts`,
    changes: [
      ["interval '15 s'", "interval '30 s'"],
      ['or lease.expires_at <= now()', 'or true'],
      ['(lease.holder <> excluded.holder)::int', '0'],
    ],
  },
  {
    file: `${queries}/operations/idempotency-keys.ts`,
    changes: [
      ["interval '24 h'", "interval '48 h'"],
      ['request_hash in ($3, $4)', 'true'],
    ],
  },
  {
    file: `${queries}/recorder-liveness.ts`,
    tests: [
      `${queries}/recorder-liveness.test.ts`,
      `${queries}/recording/recording-intervals.test.ts`,
    ],
    changes: [
      ["DEAD_AFTER = `interval '15 s'`", "DEAD_AFTER = `interval '30 s'`"],
      ["LATE_AFTER = `interval '2 s'`", "LATE_AFTER = `interval '4 s'`"],
      ['then least(', 'then greatest('],
    ],
  },
  {
    file: `${queries}/recording/recording-intervals.ts`,
    tests: [
      `${queries}/recording/recording-intervals.test.ts`,
      `${queries}/recording/coverage.test.ts`,
    ],
    changes: [
      ['greatest(from_at, $3::timestamptz(3))', '$3::timestamptz(3)'],
      ['  and to_at is null', ''],
      ['whole.from_at < $4::timestamptz', 'whole.from_at <= $4::timestamptz'],
      [
        "when earlier.end_reason = 'not_started' then $4 else $5 end",
        'when true then $4 else $5 end',
      ],
    ],
  },
  {
    file: `${queries}/recording/coverage.ts`,
    changes: [
      ["'[]') * span.whole", "'[)') * span.whole"],
      ['order by interval_end.opened_at desc', 'order by interval_end.opened_at'],
      ['upper(range) <= span.last_from', 'upper(range) < span.last_from'],
    ],
  },
  {
    file: `${queries}/recording/claimable-slots.ts`,
    tests: [
      `${queries}/recording/claim-slots.test.ts`,
      `${queries}/recording/claimable-slots.test.ts`,
    ],
    changes: [
      ['claimer.id = $1 and not claimer.draining', 'claimer.id = $1'],
      ['sibling.recorder_id = $1\n', 'false\n'],
      ['epoch = slot.epoch + 1', 'epoch = slot.epoch'],
    ],
  },
  {
    file: `${queries}/recording/recorders.ts`,
    changes: [
      ['epoch = former.epoch + 1', 'epoch = former.epoch'],
      ['    and epoch = $2\n', ''],
    ],
  },
  {
    file: `${queries}/accounts/account-limits.ts`,
    changes: [
      ['usage[limit] > (limits[limit] ?? 0)', 'usage[limit] >= (limits[limit] ?? 0)'],
      ['isExceeded && hasGrown(limit)', 'isExceeded'],
    ],
  },
  {
    file: `${queries}/accounts/removed-members.ts`,
    changes: [
      ['barred_until <= now()', 'true'],
      ['  and project_id not in', '  or project_id in'],
      ["where session.status = 'ACTIVE'", 'where true'],
    ],
  },
  {
    file: `${queries}/agents/agent-restarts.ts`,
    changes: [
      ['and agent.restarts = $4', ''],
      ["and agent.desired = 'running'", ''],
      ['KEPT_ENDS = 20', 'KEPT_ENDS = 21'],
      ['extract(epoch from head.last_at)', 'extract(epoch from now())'],
    ],
  },
  {
    file: `${queries}/messages/filtered-messages.ts`,
    changes: [
      ['    and walked."timestamp" > ', "    and 'infinity' >= "],
      ['  and cursor_message."timestamp" > ', "  and 'infinity' >= "],
    ],
  },
  {
    file: `${queries}/templates/plan-templates.ts`,
    tests: ['apps/api/src/http/entity-tags.test.ts'],
    changes: [
      ['    version = template.version + 1,\n', ''],
      ['or version = $7', 'or true'],
    ],
  },
  {
    file: `${queries}/sessions/end-user-sessions.ts`,
    tests: [`${queries}/sessions/session-search.test.ts`, `${queries}/accounts/end-users.test.ts`],
    changes: [
      ['            and session.deleted_at is null\n', ''],
      ['and ($9::text is null or session.status = $9) as is_match', 'as is_match'],
      [' or walked.place = ', ' or 0 = '],
    ],
  },
  {
    file: `${queries}/sessions/idle-sessions.ts`,
    changes: [["message.role = 'user' or ", '']],
  },
  {
    file: `${queries}/sessions/session-changes.ts`,
    changes: [[')) <= $5', ')) <= $5 + 1']],
  },
  {
    file: `${queries}/sessions/session-search.ts`,
    changes: [
      ['found[0].candidates <= MAX_CANDIDATES', 'found[0].candidates > 0'],
      [
        `      and \${withinPage(order)}\n      and \${matches('$7', '$8')}\n`,
        `      and \${withinPage(order)}\n`,
      ],
      ['return isCut ? last.id : null', 'return null'],
    ],
  },
];
