import { type ClientOptions, clientOf, connect } from './create-client.ts';
import { type CallOptions, changing, path, posting } from './http/call.ts';
import type { ListOptions } from './http/list.ts';
import { accountOf } from './resources/account.ts';
import { logsOf } from './resources/agent-log.ts';
import { agentTemplatesOf } from './resources/agent-templates.ts';
import { listTurns } from './resources/agent-turns.ts';
import { apiKeysOf } from './resources/api-keys.ts';
import { auditOf } from './resources/audit.ts';
import { endUsersOf } from './resources/end-users.ts';
import { erasuresOf } from './resources/erasures.ts';
import { importFile } from './resources/exported-messages.ts';
import { invitationsOf } from './resources/invitations.ts';
import { membersOf } from './resources/members.ts';
import { importMessages } from './resources/message-import.ts';
import { type MessageSearchOptions, searchMessages } from './resources/message-search.ts';
import { type StreamOptions, streamMessages } from './resources/message-stream.ts';
import { monitoringOf } from './resources/operations.ts';
import { signInOf } from './resources/sign-in.ts';
import { templateChangesOf } from './resources/template-changes.ts';
import { webhooksOf } from './resources/webhooks.ts';
import type { AgentConnection, MessageImportBody, Project, SearchLanguage } from './shapes.ts';

/** Returns a client that can also administer: what few pages need, and what would make every page larger. */
export function createAdminClient(options: ClientOptions) {
  const transport = connect(options);
  const client = clientOf(transport);
  const { changeEnvTemplate, changePlanTemplate } = templateChangesOf(transport);
  return {
    ...client,
    agents: {
      ...client.agents,
      logs: logsOf(transport, client.agents.logs),
      /** Returns a page of what the agent's answers took, the newest first, and the percentiles of its turns. */
      turns: (id: string, listOptions?: ListOptions) => listTurns(transport, id, listOptions),
      /** Returns what an external agent needs to join its room, with a new token. Throws `conflict` for other agents, and once it has stopped. */
      createToken: (id: string, callOptions?: CallOptions) =>
        transport.json<AgentConnection>(posting(path`/agents/${id}/token`, {}, callOptions)),
    },
    messages: {
      ...client.messages,
      /** Yields each message when it is stored, and again when it grows or is completed, until the session is deleted. */
      stream: (sessionId: string, streamOptions?: StreamOptions) =>
        streamMessages(transport, sessionId, streamOptions),
      /** Stores messages of a conversation that happened elsewhere, while the session has no others. */
      import: (sessionId: string, body: MessageImportBody, callOptions?: CallOptions) =>
        importMessages(transport, sessionId, body, callOptions),
      /** Imports the texts of an export of another session: the JSON lines, in the pieces that `export` yields or as one. */
      importFile: (
        sessionId: string,
        file: AsyncIterable<string> | Iterable<string>,
        callOptions?: CallOptions,
      ) => importFile(transport, sessionId, file, callOptions),
      /** Returns a page of the messages of a project that contain the words of `q`, the newest first. */
      search: (projectId: string, searchOptions: MessageSearchOptions) =>
        searchMessages(transport, projectId, searchOptions),
    },
    projects: {
      ...client.projects,
      /** Limits for how many days the project keeps its histories; null: for ever. For an OWNER. */
      setRetention: (id: string, retentionDays: number | null, callOptions?: CallOptions) =>
        transport.json<Project>(changing(path`/projects/${id}`, { retentionDays }, callOptions)),
      /** Chooses the language in which messages are searched; null: words are found as they are. For an ADMIN. */
      setSearchLanguage: (
        id: string,
        searchLanguage: SearchLanguage | null,
        callOptions?: CallOptions,
      ) =>
        transport.json<Project>(changing(path`/projects/${id}`, { searchLanguage }, callOptions)),
    },
    envTemplates: { ...client.envTemplates, change: changeEnvTemplate },
    planTemplates: { ...client.planTemplates, change: changePlanTemplate },
    account: accountOf(transport),
    agentTemplates: agentTemplatesOf(transport),
    apiKeys: apiKeysOf(transport),
    audit: auditOf(transport),
    endUsers: endUsersOf(transport),
    erasures: erasuresOf(transport),
    invitations: invitationsOf(transport),
    members: membersOf(transport),
    monitoring: monitoringOf(transport),
    signIn: signInOf(transport),
    webhooks: webhooksOf(transport),
  };
}

export { connectionLines, foldState } from '@session/contract/room';
export type AdminClient = ReturnType<typeof createAdminClient>;
export type { AgentLogEvent, FollowLogOptions } from './resources/agent-log.ts';
export type { StreamedMessage } from './resources/arriving-messages.ts';
export type { FileImportResult } from './resources/exported-messages.ts';
export type { MessageSearchOptions } from './resources/message-search.ts';
export type { StreamOptions } from './resources/message-stream.ts';
