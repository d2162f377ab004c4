import type { AdminClient } from '../src/admin.ts';
import { ADMIN_CALLS } from './admin-calls.ts';
import { TEMPLATE_CALLS } from './template-calls.ts';
import { WEBHOOK_CALLS } from './webhook-calls.ts';

type Methods<Resource> = {
  [Name in keyof Resource]: Resource[Name] extends (...parameters: never[]) => unknown
    ? Name
    : never;
}[keyof Resource] &
  string;

type Resources = Exclude<keyof AdminClient, 'conversation'>;

/** Every method of a client: `projects.create`. */
export type MethodName = {
  [Resource in Resources]: `${Resource}.${Methods<AdminClient[Resource]>}`;
}[Resources];

export interface Subjects {
  readonly projectId: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly externalAgentId: string;
  readonly userId: string;
  readonly otherEmail: string;
  readonly envTemplateId: string;
  readonly planTemplateId: string;
  readonly agentTemplateId: string;
  readonly apiKeyId: string;
  readonly invitationId: string;
  readonly secrets: { readonly invitation: string; readonly password: string };
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly erasureId: string;
  readonly signIn: { readonly handle: string; readonly code: string; readonly state: string };
}

export interface MethodCall {
  readonly operationId: string;
  readonly call: (client: AdminClient, subjects: Subjects) => Promise<unknown>;
}

const ACCOUNT = { password: 'correct horse', name: 'Ada' };

/** One call of each method, in an order in which each can succeed. A missing method is a type error. */
export const CALLS: Readonly<Record<MethodName, MethodCall>> = {
  'service.info': { operationId: 'getRoot', call: (client) => client.service.info() },
  'service.health': { operationId: 'getHealth', call: (client) => client.service.health() },
  'auth.signUp': {
    operationId: 'signUp',
    call: (client) => client.auth.signUp({ email: 'cy@example.org', ...ACCOUNT }),
  },
  'auth.logIn': {
    operationId: 'logIn',
    call: (client) => client.auth.logIn({ email: 'cy@example.org', password: ACCOUNT.password }),
  },
  'signIn.methods': {
    operationId: 'getSignInMethods',
    call: (client) => client.signIn.methods(),
  },
  'signIn.start': { operationId: 'startProviderSignIn', call: (client) => client.signIn.start() },
  'signIn.finish': {
    operationId: 'finishProviderSignIn',
    call: (client, { signIn }) => client.signIn.finish(signIn),
  },
  'auth.me': { operationId: 'getMe', call: (client) => client.auth.me() },
  'projects.list': { operationId: 'listProjects', call: (client) => client.projects.list() },
  'projects.create': {
    operationId: 'createProject',
    call: (client) => client.projects.create({ name: 'Second' }),
  },
  'projects.get': {
    operationId: 'getProject',
    call: (client, { projectId }) => client.projects.get(projectId),
  },
  'projects.rename': {
    operationId: 'renameProject',
    call: (client, { projectId }) => client.projects.rename(projectId, { name: 'Third' }),
  },
  'members.add': {
    operationId: 'addMember',
    call: (client, { projectId, otherEmail }) =>
      client.members.add(projectId, { email: otherEmail }),
  },
  'members.list': {
    operationId: 'listMembers',
    call: (client, { projectId }) => client.members.list(projectId),
  },
  'members.changeRole': {
    operationId: 'changeRole',
    call: (client, { projectId, userId }) =>
      client.members.changeRole(projectId, userId, { role: 'ADMIN' }),
  },
  'members.remove': {
    operationId: 'removeMember',
    call: (client, { projectId, userId }) => client.members.remove(projectId, userId),
  },
  'sessions.create': {
    operationId: 'createSession',
    call: (client, { projectId }) => client.sessions.create(projectId, { name: 'Hello' }),
  },
  'sessions.list': {
    operationId: 'listSessions',
    call: (client, { projectId }) => client.sessions.list(projectId, { status: 'ACTIVE' }),
  },
  'sessions.get': {
    operationId: 'getSession',
    call: (client, { sessionId }) => client.sessions.get(sessionId),
  },
  'sessions.getState': {
    operationId: 'getSessionState',
    call: (client, { sessionId }) =>
      client.sessions.getState(sessionId, { asOf: '2026-11-21T08:00:00Z' }),
  },
  'sessions.rename': {
    operationId: 'changeSession',
    call: (client, { sessionId }) => client.sessions.rename(sessionId, { name: 'Hello again' }),
  },
  'sessions.createToken': {
    operationId: 'createToken',
    call: (client, { sessionId }) => client.sessions.createToken(sessionId),
  },
  // Before anything is said.
  ...ADMIN_CALLS,
  'messages.say': {
    operationId: 'say',
    call: (client, { sessionId }) => client.messages.say(sessionId, { content: 'Good morning' }),
  },
  'messages.list': {
    operationId: 'listMessages',
    call: (client, { sessionId }) => client.messages.list(sessionId),
  },
  'messages.latest': {
    operationId: 'listLatestMessages',
    call: (client, { sessionId }) =>
      client.messages.latest(sessionId, { since: '2026-01-01T00:00:00Z', wait: 1, limit: 5 }),
  },
  'messages.export': {
    operationId: 'exportMessages',
    call: (client, { sessionId }) =>
      Array.fromAsync(client.messages.export(sessionId, { format: 'markdown', session: true })),
  },
  'agentTypes.list': { operationId: 'listAgentTypes', call: (client) => client.agentTypes.list() },
  'agents.check': {
    operationId: 'startAgent',
    call: (client, { sessionId }) => client.agents.check(sessionId, { role: 'echo-agent' }),
  },
  'agents.start': {
    operationId: 'startAgent',
    call: (client, { sessionId }) =>
      client.agents.start(sessionId, { role: 'echo-agent', config: { echoMode: 'text' } }),
  },
  'agents.createToken': {
    operationId: 'createAgentToken',
    call: (client, { externalAgentId }) => client.agents.createToken(externalAgentId),
  },
  'agents.untilRunning': {
    operationId: 'getAgent',
    call: (client, { agentId }) => client.agents.untilRunning(agentId),
  },
  'agents.list': {
    operationId: 'listAgents',
    call: (client, { sessionId }) => client.agents.list(sessionId),
  },
  'agents.get': {
    operationId: 'getAgent',
    call: (client, { agentId }) => client.agents.get(agentId),
  },
  'agents.timeline': {
    operationId: 'getAgentTimeline',
    call: (client, { agentId }) => client.agents.timeline(agentId),
  },
  'agents.turns': {
    operationId: 'listAgentTurns',
    call: (client, { agentId }) => client.agents.turns(agentId, { limit: 5 }),
  },
  'agents.stop': {
    operationId: 'stopAgent',
    call: (client, { agentId }) => client.agents.stop(agentId),
  },
  'agents.logs': {
    operationId: 'getAgentLogs',
    call: (client, { agentId }) => client.agents.logs(agentId, { tail: 10 }),
  },
  ...TEMPLATE_CALLS,
  'apiKeys.create': {
    operationId: 'createApiKey',
    call: (client, { projectId }) => client.apiKeys.create(projectId, { name: 'Backend' }),
  },
  'apiKeys.list': {
    operationId: 'listApiKeys',
    call: (client, { projectId }) => client.apiKeys.list(projectId),
  },
  'apiKeys.rotate': {
    operationId: 'rotateApiKey',
    call: (client, { apiKeyId }) => client.apiKeys.rotate(apiKeyId),
  },
  'apiKeys.delete': {
    operationId: 'deleteApiKey',
    call: (client, { apiKeyId }) => client.apiKeys.delete(apiKeyId),
  },
  ...WEBHOOK_CALLS,
  'audit.list': {
    operationId: 'listAuditEvents',
    call: (client, { projectId }) => client.audit.list(projectId, { action: 'member.added' }),
  },
  'invitations.create': {
    operationId: 'createInvitation',
    call: (client, { projectId }) =>
      client.invitations.create(projectId, { email: 'dora@example.org' }),
  },
  'invitations.list': {
    operationId: 'listInvitations',
    call: (client, { projectId }) => client.invitations.list(projectId),
  },
  'invitations.look': {
    operationId: 'lookAtInvitation',
    call: (client, { secrets }) => client.invitations.look({ secret: secrets.invitation }),
  },
  'invitations.accept': {
    operationId: 'acceptInvitation',
    call: (client, { secrets }) => client.invitations.accept({ secret: secrets.invitation }),
  },
  'invitations.delete': {
    operationId: 'deleteInvitation',
    call: (client, { invitationId }) => client.invitations.delete(invitationId),
  },
  'monitoring.stats': { operationId: 'getStats', call: (client) => client.monitoring.stats() },
  'sessions.close': {
    operationId: 'closeSession',
    call: (client, { sessionId }) => client.sessions.close(sessionId),
  },
  'sessions.delete': {
    operationId: 'deleteSession',
    call: (client, { sessionId }) => client.sessions.delete(sessionId),
  },
  'projects.delete': {
    operationId: 'deleteProject',
    call: (client, { projectId }) => client.projects.delete(projectId),
  },
  'account.change': {
    operationId: 'changeMe',
    call: (client) => client.account.change({ name: 'Ada L.' }),
  },
  'account.changePassword': {
    operationId: 'changePassword',
    call: (client) =>
      client.account.changePassword({ current: ACCOUNT.password, new: 'battery staple' }),
  },
  'account.forgotPassword': {
    operationId: 'forgotPassword',
    call: (client) => client.account.forgotPassword({ email: 'dora@example.org' }),
  },
  'account.resetPassword': {
    operationId: 'resetPassword',
    call: (client, { secrets }) =>
      client.account.resetPassword({ secret: secrets.password, password: 'battery staple' }),
  },
  'account.signOut': { operationId: 'signOut', call: (client) => client.account.signOut() },
  'account.delete': {
    operationId: 'deleteMe',
    call: (client) => client.account.delete({ password: ACCOUNT.password }),
  },
};
