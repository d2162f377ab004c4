import * as client from '../src/connection/client.ts';
import * as commitGuard from '../src/connection/commit-guard.ts';
import * as notifyStored from '../src/connection/notify-stored.ts';
import * as accountChanges from '../src/queries/accounts/account-changes.ts';
import * as accountLimits from '../src/queries/accounts/account-limits.ts';
import * as accountUsage from '../src/queries/accounts/account-usage.ts';
import * as apiKeys from '../src/queries/accounts/api-keys.ts';
import * as endUserList from '../src/queries/accounts/end-user-list.ts';
import * as endUsers from '../src/queries/accounts/end-users.ts';
import * as endedTokens from '../src/queries/accounts/ended-tokens.ts';
import * as invitations from '../src/queries/accounts/invitations.ts';
import * as membershipChanges from '../src/queries/accounts/membership-changes.ts';
import * as memberships from '../src/queries/accounts/memberships.ts';
import * as passwordLinks from '../src/queries/accounts/password-links.ts';
import * as projects from '../src/queries/accounts/projects.ts';
import * as removedMembers from '../src/queries/accounts/removed-members.ts';
import * as users from '../src/queries/accounts/users.ts';
import * as agentTemplateChanges from '../src/queries/agent-templates/agent-template-changes.ts';
import * as agentTemplateVersions from '../src/queries/agent-templates/agent-template-versions.ts';
import * as agentTemplates from '../src/queries/agent-templates/agent-templates.ts';
import * as actingAgents from '../src/queries/agents/acting-agents.ts';
import * as agentChanges from '../src/queries/agents/agent-changes.ts';
import * as agentInsertion from '../src/queries/agents/agent-insertion.ts';
import * as agentLogAppends from '../src/queries/agents/agent-log-appends.ts';
import * as agentLogPositions from '../src/queries/agents/agent-log-positions.ts';
import * as agentLogs from '../src/queries/agents/agent-logs.ts';
import * as agentRestarts from '../src/queries/agents/agent-restarts.ts';
import * as agentSecrets from '../src/queries/agents/agent-secrets.ts';
import * as agentTimeline from '../src/queries/agents/agent-timeline.ts';
import * as agentTurns from '../src/queries/agents/agent-turns.ts';
import * as agents from '../src/queries/agents/agents.ts';
import * as externalAgents from '../src/queries/agents/external-agents.ts';
import * as handovers from '../src/queries/agents/handovers.ts';
import * as stoppedAgents from '../src/queries/agents/stopped-agents.ts';
import * as erasedMessages from '../src/queries/erasures/erased-messages.ts';
import * as erasureAcknowledgements from '../src/queries/erasures/erasure-acknowledgements.ts';
import * as erasureWork from '../src/queries/erasures/erasure-work.ts';
import * as erasures from '../src/queries/erasures/erasures.ts';
import * as lateMessages from '../src/queries/erasures/late-messages.ts';
import * as repeatedErasures from '../src/queries/erasures/repeated-erasures.ts';
import * as followedVersions from '../src/queries/followers/followed-versions.ts';
import * as followerClaims from '../src/queries/followers/follower-claims.ts';
import * as followerCounts from '../src/queries/followers/follower-counts.ts';
import * as followerHealth from '../src/queries/followers/follower-health.ts';
import * as followerMarks from '../src/queries/followers/follower-marks.ts';
import * as heardNumbers from '../src/queries/followers/heard-numbers.ts';
import * as lastNumbers from '../src/queries/followers/last-numbers.ts';
import * as missingNumbers from '../src/queries/followers/missing-numbers.ts';
import * as searchIndex from '../src/queries/followers/search-index.ts';
import * as searchLanguage from '../src/queries/followers/search-language.ts';
import * as sequenceFolds from '../src/queries/followers/sequence-folds.ts';
import * as webhookAttempts from '../src/queries/followers/webhook-attempts.ts';
import * as webhookChanges from '../src/queries/followers/webhook-changes.ts';
import * as webhookDeletion from '../src/queries/followers/webhook-deletion.ts';
import * as webhookDeliveries from '../src/queries/followers/webhook-deliveries.ts';
import * as webhookReplay from '../src/queries/followers/webhook-replay.ts';
import * as webhookSecrets from '../src/queries/followers/webhook-secrets.ts';
import * as webhooks from '../src/queries/followers/webhooks.ts';
import * as appendBatch from '../src/queries/messages/append-batch.ts';
import * as appendMessages from '../src/queries/messages/append-messages.ts';
import * as filteredMessages from '../src/queries/messages/filtered-messages.ts';
import * as formerReaders from '../src/queries/messages/former-readers.ts';
import * as importedMessages from '../src/queries/messages/imported-messages.ts';
import * as messageSearch from '../src/queries/messages/message-search.ts';
import * as messages from '../src/queries/messages/messages.ts';
import * as participantNames from '../src/queries/messages/participant-names.ts';
import * as presentParticipants from '../src/queries/messages/present-participants.ts';
import * as readMessages from '../src/queries/messages/read-messages.ts';
import * as sayMessage from '../src/queries/messages/say-message.ts';
import * as spokenMessages from '../src/queries/messages/spoken-messages.ts';
import * as stateMessages from '../src/queries/messages/state-messages.ts';
import * as storedTexts from '../src/queries/messages/stored-texts.ts';
import * as toolCalls from '../src/queries/messages/tool-calls.ts';
import * as auditEvents from '../src/queries/operations/audit-events.ts';
import * as databaseTimelines from '../src/queries/operations/database-timelines.ts';
import * as idempotencyKeys from '../src/queries/operations/idempotency-keys.ts';
import * as leases from '../src/queries/operations/leases.ts';
import * as monitoredSessions from '../src/queries/operations/monitored-sessions.ts';
import * as recorderStatistics from '../src/queries/operations/recorder-statistics.ts';
import * as serviceCounts from '../src/queries/operations/service-counts.ts';
import * as statistics from '../src/queries/operations/statistics.ts';
import * as claimSlots from '../src/queries/recording/claim-slots.ts';
import * as claimableSlots from '../src/queries/recording/claimable-slots.ts';
import * as coverage from '../src/queries/recording/coverage.ts';
import * as giveWay from '../src/queries/recording/give-way.ts';
import * as recorders from '../src/queries/recording/recorders.ts';
import * as recordingIntervals from '../src/queries/recording/recording-intervals.ts';
import * as refusedGaps from '../src/queries/recording/refused-gaps.ts';
import * as restoredHistory from '../src/queries/recording/restored-history.ts';
import * as slotRanks from '../src/queries/recording/slot-ranks.ts';
import * as slots from '../src/queries/recording/slots.ts';
import * as deletions from '../src/queries/sessions/deletions.ts';
import * as endUserSessions from '../src/queries/sessions/end-user-sessions.ts';
import * as idleSessions from '../src/queries/sessions/idle-sessions.ts';
import * as retention from '../src/queries/sessions/retention.ts';
import * as sessionChanges from '../src/queries/sessions/session-changes.ts';
import * as sessionEnd from '../src/queries/sessions/session-end.ts';
import * as sessionEvents from '../src/queries/sessions/session-events.ts';
import * as sessionInsertion from '../src/queries/sessions/session-insertion.ts';
import * as sessionLists from '../src/queries/sessions/session-lists.ts';
import * as sessionSearch from '../src/queries/sessions/session-search.ts';
import * as sessions from '../src/queries/sessions/sessions.ts';
import * as envTemplateChanges from '../src/queries/templates/env-template-changes.ts';
import * as envTemplates from '../src/queries/templates/env-templates.ts';
import * as planTemplates from '../src/queries/templates/plan-templates.ts';
import * as sealedTemplates from '../src/queries/templates/sealed-templates.ts';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The statements of every module that makes any, by its file. */
export const MODULES: Readonly<Record<string, readonly NamedText[]>> = {
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
  'queries/followers/last-numbers.ts': statementsIn(lastNumbers),
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
  'queries/messages/former-readers.ts': statementsIn(formerReaders),
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

function statementsIn(module: object): NamedText[] {
  return Object.values(module).filter(isStatement);
}

function isStatement(value: unknown): value is NamedText {
  return typeof value === 'object' && value !== null && 'run' in value && 'text' in value;
}
