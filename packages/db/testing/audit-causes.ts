import type { AuditAction } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  deleteApiKey,
  insertApiKey,
  rotateApiKey,
} from '../src/queries/accounts/api-key-changes.ts';
import { upsertEndUser } from '../src/queries/accounts/end-users.ts';
import {
  acceptInvitation,
  deleteInvitation,
  insertInvitation,
} from '../src/queries/accounts/invitations.ts';
import {
  deleteMembership,
  insertMembership,
  updateRole,
} from '../src/queries/accounts/membership-changes.ts';
import { updateProject } from '../src/queries/accounts/projects.ts';
import { requestAgentStop } from '../src/queries/agents/agent-changes.ts';
import { insertAgent } from '../src/queries/agents/agent-insertion.ts';
import { insertErasure } from '../src/queries/erasures/erasures.ts';
import { importMessages } from '../src/queries/messages/imported-messages.ts';
import { markSessionDeleted } from '../src/queries/sessions/deletions.ts';
import { closeSession } from '../src/queries/sessions/session-end.ts';
import type { DatabaseAccess } from '../src/statement/statement.ts';
import { addAgent } from './agents.ts';
import type { TestProject } from './project.ts';
import { HASH, SECRET, TEMPLATE_CAUSES } from './template-causes.ts';
import { WEBHOOK_CAUSES } from './webhook-causes.ts';

export interface Cause {
  /** Causes the event once more at each call, as the owner of the project. */
  readonly act: (database: DatabaseAccess) => Promise<unknown>;
  /** Null if the service itself causes the event. */
  readonly actor?: null;
  readonly target: string;
  readonly detail: object;
}

/** For each action, a function that prepares what causes its event. */
export const CAUSES: Readonly<Record<AuditAction, (project: TestProject) => Promise<Cause>>> = {
  ...TEMPLATE_CAUSES,
  'agent.started': async (project) => {
    const { userId } = project;
    const [id, sessionId] = [uuidv7(), await project.newSession()];
    const row = { id, sessionId, role: 'echo-agent', planId: null, envTemplateId: null };
    const agent = { ...row, config: { prompt: SECRET }, createdBy: userId };
    return {
      act: (database) => insertAgent(database, agent),
      target: id,
      detail: { role: 'echo-agent', sessionId },
    };
  },
  'agent.stopped': async (project) => {
    const sessionId = await project.newSession();
    const id = await addAgent(project, { sessionId });
    return {
      act: (database) => requestAgentStop(database, id, 'requested', project.userId),
      target: id,
      detail: { role: 'echo-agent', sessionId, reason: 'requested' },
    };
  },
  'api_key.created': async (project) => {
    const key = newKey(project);
    return {
      act: (database) => insertApiKey(database, key, 1),
      target: key.id,
      detail: { name: 'Backend', role: 'ADMIN' },
    };
  },
  'api_key.deleted': async (project) => {
    const key = await addKey(project);
    return {
      act: (database) => deleteApiKey(database, key, project.userId),
      target: key.id,
      detail: { name: 'Backend', role: 'ADMIN' },
    };
  },
  'api_key.rotated': async (project) => {
    const key = await addKey(project);
    return {
      act: (database) => rotateApiKey(database, key, newKey(project), 3),
      target: key.id,
      detail: { name: 'Backend', keepOldHours: 3 },
    };
  },
  'end_user.let_in': async (project) => {
    const { projectId, userId: issuedBy } = project;
    const [id, sessionId] = [uuidv7(), await project.newSession()];
    const endUser = { id, projectId, externalId: 'customer-7', name: 'Ada', sessionId, issuedBy };
    return {
      act: (database) => upsertEndUser(database, endUser),
      target: id,
      detail: { name: 'Ada', sessionId, externalId: 'customer-7' },
    };
  },
  'erasure.requested': async (project) => {
    const { projectId, userId: requestedBy } = project;
    const [id, userId] = [uuidv7(), uuidv7()];
    const scope = { sessionId: null, messageIds: null, identity: SECRET, userId };
    return {
      act: (database) => insertErasure(database, { id, projectId, requestedBy, ...scope }),
      target: id,
      detail: { userId },
    };
  },
  'invitation.accepted': async (project) => {
    const { invitation, detail } = newInvitation(project);
    await insertInvitation(project, invitation, 1);
    const member = { membershipId: uuidv7(), userId: project.userId };
    return {
      act: (database) => acceptInvitation(database, HASH, member),
      target: invitation.id,
      detail,
    };
  },
  'invitation.created': async (project) => {
    const { invitation, detail } = newInvitation(project);
    return {
      act: (database) => insertInvitation(database, invitation, 1),
      target: invitation.id,
      detail,
    };
  },
  'invitation.deleted': async (project) => {
    const { invitation, detail } = newInvitation(project);
    await insertInvitation(project, invitation, 1);
    return {
      act: (database) => deleteInvitation(database, invitation, project.userId),
      target: invitation.id,
      detail,
    };
  },
  'member.added': async (project) => {
    const { projectId, userId: by } = project;
    const member = {
      id: uuidv7(),
      userId: await project.newUser(),
      projectId,
      role: 'ADMIN',
    } as const;
    return {
      act: (database) => insertMembership(database, member, by),
      target: member.userId,
      detail: { name: 'Someone', role: 'ADMIN' },
    };
  },
  'member.removed': async (project) => {
    const { projectId, userId: by } = project;
    const { userId } = await project.newMember('ADMIN');
    const seen = { projectId, userId, seenRole: 'ADMIN', by } as const;
    return {
      act: (database) => deleteMembership(database, seen),
      target: userId,
      detail: { name: 'Someone', role: 'ADMIN' },
    };
  },
  'member.role_changed': async (project) => {
    const { projectId, userId: by } = project;
    const { userId } = await project.newMember('MEMBER');
    const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
    return {
      act: (database) => updateRole(database, seen, 'ADMIN'),
      target: userId,
      detail: { name: 'Someone', role: 'ADMIN', formerRole: 'MEMBER' },
    };
  },
  'project.renamed': async ({ projectId, userId }) => ({
    act: (database) => updateProject(database, projectId, { name: 'New' }, userId),
    target: projectId,
    detail: { name: 'New', formerName: 'test' },
  }),
  'project.retention_changed': async ({ projectId, userId }) => ({
    act: (database) => updateProject(database, projectId, { retentionDays: 30 }, userId),
    target: projectId,
    detail: { days: 30, formerDays: null },
  }),
  'project.search_language_changed': async ({ projectId, userId }) => ({
    act: (database) => updateProject(database, projectId, { searchLanguage: 'german' }, userId),
    target: projectId,
    detail: { language: 'german', formerLanguage: null },
  }),
  'session.closed': async (project) => {
    const { userId } = project;
    const id = await project.newSession();
    return {
      act: (database) => closeSession(database, id, 'user', userId),
      target: id,
      detail: { reason: 'user' },
    };
  },
  'session.deleted': async (project) => {
    const { userId } = project;
    const id = await project.newSession();
    return {
      act: (database) => markSessionDeleted(database, id, userId),
      target: id,
      detail: {},
    };
  },
  'session.imported': async (project) => {
    const id = await project.newSession();
    const said = { id: uuidv7(), saidAt: 0, role: 'user', content: SECRET } as const;
    const message = { ...said, metadata: { participant: null, source: 'import' } };
    return {
      act: (database) => importMessages(database, id, [message], project.userId),
      target: id,
      detail: { messages: 1 },
    };
  },
  ...WEBHOOK_CAUSES,
};

function newInvitation({ projectId, userId: createdBy }: TestProject) {
  const detail = { email: 'ben@example.org', role: 'MEMBER' } as const;
  const invitation = { id: uuidv7(), projectId, secretHash: HASH, createdBy, ...detail };
  return { invitation, detail };
}

function newKey({ projectId, userId: createdBy }: TestProject) {
  const [id, secretId] = [uuidv7(), uuidv7()];
  const secret = { secretId, secretHash: HASH, createdBy, expiresAt: null };
  return {
    id,
    projectId,
    name: 'Backend',
    role: 'ADMIN',
    membershipId: uuidv7(),
    ...secret,
  } as const;
}

/** Stores an API key of the project. */
export async function addKey(project: TestProject) {
  const key = newKey(project);
  await insertApiKey(project, key, 20);
  return key;
}
