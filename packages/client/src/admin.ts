import { type ClientOptions, clientOf, connect } from './create-client.ts';
import { type CallOptions, changing, path, posting, reading } from './http/call.ts';
import type { ListOptions } from './http/list.ts';
import { accountOf } from './resources/account.ts';
import { logsOf } from './resources/agent-log.ts';
import { agentTemplatesOf } from './resources/agent-templates.ts';
import { apiKeysOf } from './resources/api-keys.ts';
import { auditOf } from './resources/audit.ts';
import { endUsersOf } from './resources/end-users.ts';
import { erasuresOf } from './resources/erasures.ts';
import { invitationsOf } from './resources/invitations.ts';
import { membersOf } from './resources/members.ts';
import { importFile, importMessages } from './resources/message-import.ts';
import { type MessageSearchOptions, searchMessages } from './resources/message-search.ts';
import { type StreamOptions, streamMessages } from './resources/message-stream.ts';
import { monitoringOf } from './resources/operations.ts';
import { signInOf } from './resources/sign-in.ts';
import { webhooksOf } from './resources/webhooks.ts';
import type {
  AgentConnection,
  AgentTurns,
  MessageImportBody,
  Project,
  SearchLanguage,
} from './shapes.ts';

/**
 * Returns a client that also has the administrative calls. They are separate because few pages need them, and they would make
 * every page larger.
 */
export function createAdminClient(options: ClientOptions) {
  const transport = connect(options);
  const client = clientOf(transport);
  return {
    ...client,
    agents: {
      ...client.agents,
      logs: logsOf(transport, client.agents.logs),
      /** Returns a page of the figures of an agent's answers, the newest first, and the percentiles of its turns. */
      turns: (id: string, { signal, ...query }: ListOptions = {}) =>
        transport.json<AgentTurns>({ ...reading(path`/agents/${id}/turns`, { signal }), query }),
      /**
       * Returns what an external agent needs to join its room, with a new token. Throws `forbidden` if another account started
       * the agent, and `conflict` if the agent is not external or has stopped.
       */
      createToken: (id: string, callOptions?: CallOptions) =>
        transport.json<AgentConnection>(posting(path`/agents/${id}/token`, {}, callOptions)),
    },
    messages: {
      ...client.messages,
      /**
       * Yields each message when it is stored, grows, is completed or is erased, until the session is deleted or the reader
       * may no longer read it. Replaces a broken connection without missing anything. Throws the refusals of the API, and the
       * error of the first connection.
       */
      stream: (sessionId: string, streamOptions?: StreamOptions) =>
        streamMessages(transport, sessionId, streamOptions),
      /**
       * Stores up to 1,000 messages of a conversation that happened elsewhere, the oldest first: all of them or none. A
       * repeat changes nothing. Throws `conversation_begun` when the session has messages that were not imported.
       */
      import: (sessionId: string, body: MessageImportBody, callOptions?: CallOptions) =>
        importMessages(transport, sessionId, body, callOptions),
      /**
       * Imports the JSON lines that `export` yields for another session, in pieces or as one text. A repeat changes nothing,
       * so import the whole file again after a failure. Throws a TypeError that names the number of a line that is not a
       * message.
       */
      importFile: (
        sessionId: string,
        file: AsyncIterable<string> | Iterable<string>,
        callOptions?: CallOptions,
      ) => importFile(transport, sessionId, file, callOptions),
      /**
       * Returns a page of the messages that contain the words of `q`, the newest first, each with a snippet. `highlights` are
       * ranges of the snippet: start and length, in the units of `slice`. Throws `search_too_broad` when the search takes too
       * long.
       */
      search: (projectId: string, searchOptions: MessageSearchOptions) =>
        searchMessages(transport, projectId, searchOptions),
    },
    projects: {
      ...client.projects,
      /** Limits how many days the project keeps its histories; null keeps them forever. Only for an OWNER. */
      setRetention: (id: string, retentionDays: number | null, callOptions?: CallOptions) =>
        transport.json<Project>(changing(path`/projects/${id}`, { retentionDays }, callOptions)),
      /**
       * Chooses the language in which messages are searched; null searches words as they are. Only for an ADMIN or an OWNER.
       */
      setSearchLanguage: (
        id: string,
        searchLanguage: SearchLanguage | null,
        callOptions?: CallOptions,
      ) =>
        transport.json<Project>(changing(path`/projects/${id}`, { searchLanguage }, callOptions)),
    },
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
export { userOf } from './http/bearer.ts';
export type AdminClient = ReturnType<typeof createAdminClient>;
export type { AgentLogEvent, FollowLogOptions } from './resources/agent-log.ts';
export type { FileImportResult } from './resources/message-import.ts';
export type { MessageSearchOptions } from './resources/message-search.ts';
export type { StreamedMessage, StreamOptions } from './resources/message-stream.ts';
export type { DeliveryListOptions } from './resources/webhooks.ts';
