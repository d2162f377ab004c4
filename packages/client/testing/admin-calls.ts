import type { MethodCall, MethodName } from './calls.ts';

type AdminMethod = Extract<
  MethodName,
  | 'endUsers.list'
  | 'messages.import'
  | 'messages.importFile'
  | 'messages.search'
  | 'messages.stream'
  | 'projects.setRetention'
  | 'projects.setSearchLanguage'
  | `erasures.${string}`
>;

/** One call of each of these methods. */
export const ADMIN_CALLS: Readonly<Record<AdminMethod, MethodCall>> = {
  'endUsers.list': {
    operationId: 'listEndUsers',
    call: (client, { projectId }) => client.endUsers.list(projectId, { externalId: 'customer-7' }),
  },
  'messages.import': {
    operationId: 'importMessages',
    call: (client, { sessionId }) => {
      const said = { role: 'user', timestamp: '2026-01-01T00:00:00Z' } as const;
      return client.messages.import(sessionId, {
        messages: [{ id: 'first', content: 'Good night', ...said }],
      });
    },
  },
  'messages.importFile': {
    operationId: 'importMessages',
    call: (client, { sessionId }) => {
      const said = { role: 'user', status: 'complete', timestamp: '2026-01-02T00:00:00.000Z' };
      const line = { id: 'second', content: 'Good day', metadata: { kind: 'text' }, ...said };
      return client.messages.importFile(sessionId, JSON.stringify(line));
    },
  },
  'messages.search': {
    operationId: 'searchMessages',
    call: (client, { projectId }) => client.messages.search(projectId, { q: 'hello' }),
  },
  'messages.stream': {
    operationId: 'streamMessages',
    call: (client, { sessionId }) =>
      client.messages.stream(sessionId, { since: '2026-01-01T00:00:00.000Z' }).next(),
  },
  'projects.setRetention': {
    operationId: 'renameProject',
    call: (client, { projectId }) => client.projects.setRetention(projectId, 90),
  },
  'projects.setSearchLanguage': {
    operationId: 'renameProject',
    call: (client, { projectId }) => client.projects.setSearchLanguage(projectId, 'german'),
  },
  'erasures.create': {
    operationId: 'createErasure',
    call: (client, { projectId }) =>
      client.erasures.create(projectId, { participantId: 'customer-8' }),
  },
  'erasures.list': {
    operationId: 'listErasures',
    call: (client, { projectId }) => client.erasures.list(projectId),
  },
  'erasures.get': {
    operationId: 'getErasure',
    call: (client, { erasureId }) => client.erasures.get(erasureId),
  },
};
