import { readdir, readFile } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import * as client from '../connection/client.ts';
import * as commitGuard from '../connection/commit-guard.ts';
import * as notifyStored from '../connection/notify-stored.ts';
import * as accountChanges from '../queries/accounts/account-changes.ts';
import * as accountLimits from '../queries/accounts/account-limits.ts';
import * as accountUsage from '../queries/accounts/account-usage.ts';
import * as apiKeys from '../queries/accounts/api-keys.ts';
import * as endUserList from '../queries/accounts/end-user-list.ts';
import * as endUsers from '../queries/accounts/end-users.ts';
import * as endedTokens from '../queries/accounts/ended-tokens.ts';
import * as invitations from '../queries/accounts/invitations.ts';
import * as membershipChanges from '../queries/accounts/membership-changes.ts';
import * as memberships from '../queries/accounts/memberships.ts';
import * as passwordLinks from '../queries/accounts/password-links.ts';
import * as projects from '../queries/accounts/projects.ts';
import * as removedMembers from '../queries/accounts/removed-members.ts';
import * as users from '../queries/accounts/users.ts';
import * as agentTemplateChanges from '../queries/agent-templates/agent-template-changes.ts';
import * as agentTemplateVersions from '../queries/agent-templates/agent-template-versions.ts';
import * as agentTemplates from '../queries/agent-templates/agent-templates.ts';
import * as actingAgents from '../queries/agents/acting-agents.ts';
import * as agentChanges from '../queries/agents/agent-changes.ts';
import * as agentInsertion from '../queries/agents/agent-insertion.ts';
import * as agentLogAppends from '../queries/agents/agent-log-appends.ts';
import * as agentLogPositions from '../queries/agents/agent-log-positions.ts';
import * as agentLogs from '../queries/agents/agent-logs.ts';
import * as agentRestarts from '../queries/agents/agent-restarts.ts';
import * as agentSecrets from '../queries/agents/agent-secrets.ts';
import * as agentTimeline from '../queries/agents/agent-timeline.ts';
import * as agentTurns from '../queries/agents/agent-turns.ts';
import * as agents from '../queries/agents/agents.ts';
import * as externalAgents from '../queries/agents/external-agents.ts';
import * as handovers from '../queries/agents/handovers.ts';
import * as stoppedAgents from '../queries/agents/stopped-agents.ts';
import * as erasedMessages from '../queries/erasures/erased-messages.ts';
import * as erasureAcknowledgements from '../queries/erasures/erasure-acknowledgements.ts';
import * as erasureWork from '../queries/erasures/erasure-work.ts';
import * as erasures from '../queries/erasures/erasures.ts';
import * as lateMessages from '../queries/erasures/late-messages.ts';
import * as repeatedErasures from '../queries/erasures/repeated-erasures.ts';
import * as announcedNumbers from '../queries/followers/announced-numbers.ts';
import * as followedVersions from '../queries/followers/followed-versions.ts';
import * as followerClaims from '../queries/followers/follower-claims.ts';
import * as followerCounts from '../queries/followers/follower-counts.ts';
import * as followerHealth from '../queries/followers/follower-health.ts';
import * as followerMarks from '../queries/followers/follower-marks.ts';
import * as heardNumbers from '../queries/followers/heard-numbers.ts';
import * as missingNumbers from '../queries/followers/missing-numbers.ts';
import * as searchIndex from '../queries/followers/search-index.ts';
import * as searchLanguage from '../queries/followers/search-language.ts';
import * as sequenceFolds from '../queries/followers/sequence-folds.ts';
import * as webhookAttempts from '../queries/followers/webhook-attempts.ts';
import * as webhookChanges from '../queries/followers/webhook-changes.ts';
import * as webhookDeletion from '../queries/followers/webhook-deletion.ts';
import * as webhookDeliveries from '../queries/followers/webhook-deliveries.ts';
import * as webhookReplay from '../queries/followers/webhook-replay.ts';
import * as webhookSecrets from '../queries/followers/webhook-secrets.ts';
import * as webhooks from '../queries/followers/webhooks.ts';
import * as appendBatch from '../queries/messages/append-batch.ts';
import * as appendMessages from '../queries/messages/append-messages.ts';
import * as filteredMessages from '../queries/messages/filtered-messages.ts';
import * as importedMessages from '../queries/messages/imported-messages.ts';
import * as messageSearch from '../queries/messages/message-search.ts';
import * as messages from '../queries/messages/messages.ts';
import * as participantNames from '../queries/messages/participant-names.ts';
import * as presentParticipants from '../queries/messages/present-participants.ts';
import * as readMessages from '../queries/messages/read-messages.ts';
import * as sayMessage from '../queries/messages/say-message.ts';
import * as spokenMessages from '../queries/messages/spoken-messages.ts';
import * as stateMessages from '../queries/messages/state-messages.ts';
import * as storedTexts from '../queries/messages/stored-texts.ts';
import * as toolCalls from '../queries/messages/tool-calls.ts';
import * as auditEvents from '../queries/operations/audit-events.ts';
import * as databaseTimelines from '../queries/operations/database-timelines.ts';
import * as idempotencyKeys from '../queries/operations/idempotency-keys.ts';
import * as leases from '../queries/operations/leases.ts';
import * as monitoredSessions from '../queries/operations/monitored-sessions.ts';
import * as recorderStatistics from '../queries/operations/recorder-statistics.ts';
import * as serviceCounts from '../queries/operations/service-counts.ts';
import * as statistics from '../queries/operations/statistics.ts';
import * as claimSlots from '../queries/recording/claim-slots.ts';
import * as claimableSlots from '../queries/recording/claimable-slots.ts';
import * as coverage from '../queries/recording/coverage.ts';
import * as giveWay from '../queries/recording/give-way.ts';
import * as recorders from '../queries/recording/recorders.ts';
import * as recordingIntervals from '../queries/recording/recording-intervals.ts';
import * as refusedGaps from '../queries/recording/refused-gaps.ts';
import * as restoredHistory from '../queries/recording/restored-history.ts';
import * as slotRanks from '../queries/recording/slot-ranks.ts';
import * as slots from '../queries/recording/slots.ts';
import * as deletions from '../queries/sessions/deletions.ts';
import * as endUserSessions from '../queries/sessions/end-user-sessions.ts';
import * as idleSessions from '../queries/sessions/idle-sessions.ts';
import * as retention from '../queries/sessions/retention.ts';
import * as sessionChanges from '../queries/sessions/session-changes.ts';
import * as sessionEnd from '../queries/sessions/session-end.ts';
import * as sessionEvents from '../queries/sessions/session-events.ts';
import * as sessionInsertion from '../queries/sessions/session-insertion.ts';
import * as sessionLists from '../queries/sessions/session-lists.ts';
import * as sessionSearch from '../queries/sessions/session-search.ts';
import * as sessions from '../queries/sessions/sessions.ts';
import * as envTemplateChanges from '../queries/templates/env-template-changes.ts';
import * as envTemplates from '../queries/templates/env-templates.ts';
import * as planTemplates from '../queries/templates/plan-templates.ts';
import * as sealedTemplates from '../queries/templates/sealed-templates.ts';
import { statement } from './statement.ts';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The statements of every module that makes any, by its file. */
const MODULES: Readonly<Record<string, readonly NamedText[]>> = {
  'connection/client.ts': statementsIn(client),
  'connection/commit-guard.ts': statementsIn(commitGuard),
  'connection/notify-stored.ts': statementsIn(notifyStored),
  'queries/accounts/account-changes.ts': statementsIn(accountChanges),
  'queries/accounts/account-limits.ts': statementsIn(accountLimits),
  'queries/accounts/account-usage.ts': statementsIn(accountUsage),
  'queries/accounts/api-keys.ts': statementsIn(apiKeys),
  'queries/accounts/ended-tokens.ts': statementsIn(endedTokens),
  'queries/accounts/end-users.ts': statementsIn(endUsers),
  'queries/agent-templates/agent-template-changes.ts': statementsIn(agentTemplateChanges),
  'queries/agent-templates/agent-template-versions.ts': statementsIn(agentTemplateVersions),
  'queries/agent-templates/agent-templates.ts': statementsIn(agentTemplates),
  'queries/agents/acting-agents.ts': statementsIn(actingAgents),
  'queries/agents/agent-changes.ts': statementsIn(agentChanges),
  'queries/agents/agent-insertion.ts': statementsIn(agentInsertion),
  'queries/agents/handovers.ts': statementsIn(handovers),
  'queries/agents/agent-log-appends.ts': statementsIn(agentLogAppends),
  'queries/agents/agent-log-positions.ts': statementsIn(agentLogPositions),
  'queries/agents/agent-logs.ts': statementsIn(agentLogs),
  'queries/agents/agent-restarts.ts': statementsIn(agentRestarts),
  'queries/agents/agent-secrets.ts': statementsIn(agentSecrets),
  'queries/agents/agent-timeline.ts': statementsIn(agentTimeline),
  'queries/agents/agent-turns.ts': statementsIn(agentTurns),
  'queries/agents/agents.ts': statementsIn(agents),
  'queries/agents/external-agents.ts': statementsIn(externalAgents),
  'queries/agents/stopped-agents.ts': statementsIn(stoppedAgents),
  'queries/erasures/erased-messages.ts': statementsIn(erasedMessages),
  'queries/erasures/erasure-acknowledgements.ts': statementsIn(erasureAcknowledgements),
  'queries/erasures/erasure-work.ts': statementsIn(erasureWork),
  'queries/erasures/erasures.ts': statementsIn(erasures),
  'queries/erasures/late-messages.ts': statementsIn(lateMessages),
  'queries/erasures/repeated-erasures.ts': statementsIn(repeatedErasures),
  'queries/followers/announced-numbers.ts': statementsIn(announcedNumbers),
  'queries/followers/followed-versions.ts': statementsIn(followedVersions),
  'queries/followers/follower-claims.ts': statementsIn(followerClaims),
  'queries/followers/follower-counts.ts': statementsIn(followerCounts),
  'queries/followers/follower-health.ts': statementsIn(followerHealth),
  'queries/followers/follower-marks.ts': statementsIn(followerMarks),
  'queries/followers/heard-numbers.ts': statementsIn(heardNumbers),
  'queries/followers/missing-numbers.ts': statementsIn(missingNumbers),
  'queries/followers/search-index.ts': statementsIn(searchIndex),
  'queries/followers/search-language.ts': statementsIn(searchLanguage),
  'queries/followers/sequence-folds.ts': statementsIn(sequenceFolds),
  'queries/followers/webhook-attempts.ts': statementsIn(webhookAttempts),
  'queries/followers/webhook-changes.ts': statementsIn(webhookChanges),
  'queries/followers/webhook-deletion.ts': statementsIn(webhookDeletion),
  'queries/followers/webhook-deliveries.ts': statementsIn(webhookDeliveries),
  'queries/followers/webhook-replay.ts': statementsIn(webhookReplay),
  'queries/followers/webhook-secrets.ts': statementsIn(webhookSecrets),
  'queries/followers/webhooks.ts': statementsIn(webhooks),
  'queries/messages/append-batch.ts': statementsIn(appendBatch),
  'queries/messages/append-messages.ts': statementsIn(appendMessages),
  'queries/recording/claim-slots.ts': statementsIn(claimSlots),
  'queries/recording/claimable-slots.ts': statementsIn(claimableSlots),
  'queries/recording/coverage.ts': statementsIn(coverage),
  'queries/recording/give-way.ts': statementsIn(giveWay),
  'queries/sessions/deletions.ts': statementsIn(deletions),
  'queries/templates/env-template-changes.ts': statementsIn(envTemplateChanges),
  'queries/templates/env-templates.ts': statementsIn(envTemplates),
  'queries/operations/audit-events.ts': statementsIn(auditEvents),
  'queries/operations/database-timelines.ts': statementsIn(databaseTimelines),
  'queries/operations/idempotency-keys.ts': statementsIn(idempotencyKeys),
  'queries/sessions/end-user-sessions.ts': statementsIn(endUserSessions),
  'queries/sessions/idle-sessions.ts': statementsIn(idleSessions),
  'queries/sessions/retention.ts': statementsIn(retention),
  'queries/operations/leases.ts': statementsIn(leases),
  'queries/accounts/end-user-list.ts': statementsIn(endUserList),
  'queries/accounts/invitations.ts': statementsIn(invitations),
  'queries/accounts/membership-changes.ts': statementsIn(membershipChanges),
  'queries/accounts/memberships.ts': statementsIn(memberships),
  'queries/messages/filtered-messages.ts': statementsIn(filteredMessages),
  'queries/messages/imported-messages.ts': statementsIn(importedMessages),
  'queries/messages/message-search.ts': statementsIn(messageSearch),
  'queries/messages/messages.ts': statementsIn(messages),
  'queries/operations/monitored-sessions.ts': statementsIn(monitoredSessions),
  'queries/messages/participant-names.ts': statementsIn(participantNames),
  'queries/templates/plan-templates.ts': statementsIn(planTemplates),
  'queries/accounts/password-links.ts': statementsIn(passwordLinks),
  'queries/accounts/projects.ts': statementsIn(projects),
  'queries/messages/read-messages.ts': statementsIn(readMessages),
  'queries/operations/recorder-statistics.ts': statementsIn(recorderStatistics),
  'queries/recording/recorders.ts': statementsIn(recorders),
  'queries/recording/recording-intervals.ts': statementsIn(recordingIntervals),
  'queries/recording/refused-gaps.ts': statementsIn(refusedGaps),
  'queries/recording/restored-history.ts': statementsIn(restoredHistory),
  'queries/accounts/removed-members.ts': statementsIn(removedMembers),
  'queries/messages/say-message.ts': statementsIn(sayMessage),
  'queries/templates/sealed-templates.ts': statementsIn(sealedTemplates),
  'queries/operations/service-counts.ts': statementsIn(serviceCounts),
  'queries/sessions/session-changes.ts': statementsIn(sessionChanges),
  'queries/sessions/session-end.ts': statementsIn(sessionEnd),
  'queries/sessions/session-events.ts': statementsIn(sessionEvents),
  'queries/sessions/session-insertion.ts': statementsIn(sessionInsertion),
  'queries/sessions/session-lists.ts': statementsIn(sessionLists),
  'queries/sessions/session-search.ts': statementsIn(sessionSearch),
  'queries/sessions/sessions.ts': statementsIn(sessions),
  'queries/recording/slot-ranks.ts': statementsIn(slotRanks),
  'queries/recording/slots.ts': statementsIn(slots),
  'queries/messages/present-participants.ts': statementsIn(presentParticipants),
  'queries/messages/spoken-messages.ts': statementsIn(spokenMessages),
  'queries/messages/tool-calls.ts': statementsIn(toolCalls),
  'queries/messages/state-messages.ts': statementsIn(stateMessages),
  'queries/messages/stored-texts.ts': statementsIn(storedTexts),
  'queries/operations/statistics.ts': statementsIn(statistics),
  'queries/accounts/users.ts': statementsIn(users),
};

const STATEMENTS = Object.values(MODULES).flat();

const sourceFolder = new URL('../', import.meta.url);

function statementsIn(module: object): NamedText[] {
  return Object.values(module).filter(isStatement);
}

function isStatement(value: unknown): value is NamedText {
  return typeof value === 'object' && value !== null && 'run' in value && 'text' in value;
}

test('every statement parses, and names only tables and columns that the migrations create', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const faults: string[] = [];
  for (const { name, text } of STATEMENTS) {
    await sql.unsafe(`prepare ${name} as ${text}`).catch((error: Error) => {
      faults.push(`${name}: ${error.message}`);
    });
  }
  await sql.end();
  expect(faults).toEqual([]);
});

test('every statement takes as many parameters as its text has, without a gap in their numbers', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  for (const { name, text } of STATEMENTS) await sql.unsafe(`prepare ${name} as ${text}`);
  const prepared = await sql<{ name: string; count: number }[]>`
    select name, cardinality(parameter_types) as count from pg_prepared_statements where from_sql`;
  await sql.end();
  expect(prepared).toHaveLength(STATEMENTS.length);
  for (const { name, count } of prepared) {
    const numbers = new Set(STATEMENTS.find((one) => one.name === name)?.text.match(/\$\d+/g));
    expect([name, numbers.size]).toEqual([name, count]);
  }
});

test('the names of statements are unique and in snake case, so that a slow one in PostgreSQL leads to one function', () => {
  const names = STATEMENTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
});

test('no statement escapes these tests: each module that makes any is listed, and exports them all', async () => {
  const files = await readdir(sourceFolder, { recursive: true });
  const made = new Map<string, number>();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const source = await readFile(new URL(file, sourceFolder), 'utf8');
    const { length } = source.match(/(?<!function )\bstatement[<(]/g) ?? [];
    if (length > 0) made.set(file, length);
  }
  const listed = Object.entries(MODULES).map(([file, { length }]) => [file, length]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(made));
});

test('every query module has a test file of its own name', async () => {
  const files = await readdir(new URL('queries/', sourceFolder), { recursive: true });
  const untested = files
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .filter((file) => !files.includes(file.replace(/\.ts$/, '.test.ts')));
  expect(untested).toEqual([]);
});

test('a statement runs prepared, under its name, and returns rows with their count', async () => {
  await using database = await createTestDatabase();
  await using own = client.openDatabase(database.url, { connections: 1 });
  const double = statement<[number: number], { doubled: number }>(
    'double',
    '\nselect 2 * $1::int as doubled\n',
  );
  const rows = await double.run(own, 21);
  expect([[...rows], rows.count]).toEqual([[{ doubled: 42 }], 1]);
  await double.run(own, 4);
  const prepared = await own.sql`
    select statement, generic_plans + custom_plans as runs from pg_prepared_statements
    where statement like '%doubled%' and statement not like '%pg_prepared_statements%'`;
  expect(prepared).toEqual([
    { statement: '/* double */ select 2 * $1::int as doubled', runs: '2' },
  ]);
});
