import {
  check,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

export const agents = pgTable(
  'agents',
  {
    id: uuid('id').primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    // Another agent of the same role has `<role>/<template>`, because the index of the former release allows one per value.
    role: text('role').notNull(),
    desired: text('desired', { enum: ['running', 'stopped'] })
      .notNull()
      .default('running'),
    status: text('status', { enum: ['Starting', 'Running', 'Stopped'] })
      .notNull()
      .default('Starting'),
    reason: text('reason'),
    detail: text('detail'),
    exitCode: integer('exit_code'),
    // No foreign keys, because the deletion of a template would then change each agent that ever used it. Queries return the id
    // of a deleted template as null.
    planId: uuid('plan_id'),
    envTemplateId: uuid('env_template_id'),
    agentTemplateId: uuid('agent_template_id'),
    agentTemplateVersion: integer('agent_template_version'),
    // Values of the template's variables. No secrets, because members read them.
    variables: jsonb('variables').notNull().default({}),
    config: jsonb('config').notNull().default({}),
    // Not a part of `config`, because a process of the former release refuses unknown fields.
    restartPolicy: text('restart_policy', { enum: ['on-failure', 'never'] })
      .notNull()
      .default('never'),
    // The handover that started the agent: its request in the history, and the agent that this one replaces.
    handoverId: uuid('handover_id'),
    predecessorId: uuid('predecessor_id'),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    startedAt: timestamptz('started_at'),
    // Observed at the agent's workload. The launcher may get these times later than the status.
    scheduledAt: timestamptz('scheduled_at'),
    programStartedAt: timestamptz('program_started_at'),
    runningAt: timestamptz('running_at'),
    stoppedAt: timestamptz('stopped_at'),
    // Until when a Stopped agent may still have a valid token, and is removed from its room; null once all its tokens have
    // expired.
    barredUntil: timestamptz('barred_until'),
    restarts: integer('restarts').notNull().default(0),
    // When the next workload is due; null unless the agent waits for it. `infinity`: see `INSERT_AGENT`.
    restartAt: timestamptz('restart_at'),
    // The newest ends after which the agent was restarted, the oldest first: `StoredEnd` in agent-restarts.ts.
    ends: jsonb('ends').notNull().default([]),
    // The W3C traceparent of the request, so that the process that starts the agent continues its trace; null if not traced.
    traceparent: text('traceparent'),
  },
  (t) => [
    check('agents_desired', sql`${t.desired} in ('running', 'stopped')`),
    check('agents_restart_policy', sql`${t.restartPolicy} in ('on-failure', 'never')`),
    check('agents_status', sql`${t.status} in ('Starting', 'Running', 'Stopped')`),
    check('agents_stopped_at', sql`(${t.status} = 'Stopped') = (${t.stoppedAt} is not null)`),
    // Ids lie in the order of creation.
    index('agents_session').on(t.sessionId, t.id),
    // Also serves the reconciler's list: the few agents that have not stopped. The former release inserts by this index.
    uniqueIndex('agents_one_per_role').on(t.sessionId, t.role).where(sql`${t.status} <> 'Stopped'`),
    uniqueIndex('agents_one_per_template')
      .on(
        t.sessionId,
        sql`split_part(${t.role}, '/', 1)`,
        sql`coalesce(${t.agentTemplateId}, '00000000-0000-0000-0000-000000000000')`,
      )
      .where(sql`${t.status} <> 'Stopped'`),
    // A request starts one agent, however often it is read.
    uniqueIndex('agents_handover')
      .on(t.sessionId, t.handoverId)
      .where(sql`${t.handoverId} is not null`),
    // Nearly empty: only agents that stopped a moment ago.
    index('agents_barred').on(t.barredUntil).where(sql`${t.barredUntil} is not null`),
    // The deletion of an agent template looks for the live agents that use it.
    index('agents_template').on(t.agentTemplateId).where(sql`${t.agentTemplateId} is not null`),
  ],
);

export type AgentStatus = (typeof agents.$inferSelect)['status'];
