import { TEST_PASSWORD } from './api.ts';

export type Outcome = 'absent' | 'forbidden' | 'allowed' | 'people_only';
/** The outcomes for an object that another member created. */
export interface RouteRow {
  /** A stranger, a MEMBER, an ADMIN and an OWNER. */
  readonly people: readonly [Outcome, Outcome, Outcome, Outcome];
  /** An ADMIN key of another project, and keys of the roles MEMBER and ADMIN of this one. */
  readonly keys: readonly [Outcome, Outcome, Outcome];
  /** A participant of this session; to one of another session everything is absent. */
  readonly participant?: Outcome;
}

const forMembers: RouteRow = {
  people: ['absent', 'allowed', 'allowed', 'allowed'],
  keys: ['absent', 'allowed', 'allowed'],
};
const forParticipants: RouteRow = { ...forMembers, participant: 'allowed' };
const forAdmins: RouteRow = {
  people: ['absent', 'forbidden', 'allowed', 'allowed'],
  keys: ['absent', 'forbidden', 'allowed'],
};
const forCreator: RouteRow = {
  people: ['absent', 'forbidden', 'forbidden', 'forbidden'],
  keys: ['absent', 'forbidden', 'forbidden'],
};
const NO_KEYS = ['people_only', 'people_only', 'people_only'] as const;
const forPeople: RouteRow = { ...forMembers, keys: NO_KEYS };
const forAdminPeople: RouteRow = { ...forAdmins, keys: NO_KEYS };
const forOwnerPeople: RouteRow = {
  people: ['absent', 'forbidden', 'forbidden', 'allowed'],
  keys: NO_KEYS,
};

export const KEYS = { variables: { LLM_API_KEY: 'key' } };
const IMPORT = {
  messages: [{ id: '1', role: 'user', content: 'hello', timestamp: '2026-01-01T00:00:00Z' }],
};
export const STEPS = { steps: [{ id: 'name', title: 'Name', instructions: 'Ask for it.' }] };

/** Every route about a project, with a valid body where it takes one. */
export const ROUTES: [string, RouteRow, object?][] = [
  ['GET /projects/:id', forMembers],
  ['PATCH /projects/:id', forAdmins, { name: 'renamed' }],
  ['DELETE /projects/:id', forOwnerPeople],
  ['GET /projects/:id/members', forPeople],
  ['POST /projects/:id/members', forAdminPeople, { email: ':email' }],
  ['PATCH /projects/:id/members/:userId', forOwnerPeople, { role: 'ADMIN' }],
  ['DELETE /projects/:id/members/:userId', forAdminPeople],
  ['GET /projects/:projectId/audit', forAdminPeople],
  ['GET /projects/:projectId/end-users', forMembers],
  ['GET /projects/:id/invitations', forAdminPeople],
  ['POST /projects/:id/invitations', forAdminPeople, { email: ':new@example.org' }],
  ['DELETE /invitations/:id', forAdminPeople],
  ['GET /projects/:id/api-keys', forAdminPeople],
  ['POST /projects/:id/api-keys', forAdminPeople, { name: 'Backend' }],
  ['DELETE /api-keys/:id', forAdminPeople],
  ['POST /api-keys/:id/rotate', forAdminPeople, {}],
  ['GET /projects/:id/webhooks', forAdmins],
  ['POST /projects/:id/webhooks', forAdmins, { url: 'https://example.org/hook' }],
  ['GET /webhooks/:id', forAdmins],
  ['PATCH /webhooks/:id', forAdmins, { description: 'changed' }],
  ['DELETE /webhooks/:id', forAdmins],
  ['POST /webhooks/:id/rotate-secret', forAdmins, {}],
  ['POST /webhooks/:id/test', forAdmins],
  ['GET /webhooks/:id/deliveries', forAdmins],
  ['POST /webhooks/:id/deliveries/:deliveryId/redeliver', forAdmins],
  ['POST /webhooks/:id/replay', forAdmins, { since: '2026-11-21T08:00:00Z' }],
  ['GET /projects/:projectId/erasures', forAdmins],
  ['POST /projects/:projectId/erasures', forAdmins, { participantId: 'customer-7' }],
  ['GET /erasures/:id', forAdmins],
  ['GET /projects/:projectId/sessions', forMembers],
  ['POST /projects/:projectId/sessions', forMembers, { name: 'mine' }],
  ['GET /projects/:projectId/messages/search', forMembers],
  ['GET /sessions/:id', forParticipants],
  ['PATCH /sessions/:id', forMembers, { name: 'renamed' }],
  ['DELETE /sessions/:id', forAdmins],
  ['POST /sessions/:id/close', forAdmins, {}],
  ['POST /sessions/:id/token', forParticipants, {}],
  ['GET /sessions/:sessionId/messages', forParticipants],
  ['GET /sessions/:sessionId/messages/latest', forParticipants],
  ['GET /sessions/:sessionId/messages/stream', forParticipants],
  ['GET /sessions/:sessionId/export', forMembers],
  ['POST /sessions/:sessionId/import', forAdmins, IMPORT],
  ['GET /sessions/:sessionId/state', forParticipants],
  ['POST /sessions/:sessionId/messages', forParticipants, { content: 'hello' }],
  ['POST /sessions/:sessionId/agents', forMembers, { role: 'echo-agent' }],
  ['GET /sessions/:sessionId/agents', forMembers],
  ['GET /agents/:agentId', forMembers],
  ['GET /agents/:agentId/logs', forMembers],
  ['GET /agents/:agentId/timeline', forMembers],
  ['GET /agents/:agentId/turns', forMembers],
  ['POST /agents/:agentId/token', forCreator],
  ['DELETE /agents/:agentId', forAdmins],
  ['GET /projects/:projectId/env-templates', forMembers],
  ['POST /projects/:projectId/env-templates', forAdmins, { name: ':new', ...KEYS }],
  ['GET /env-templates/:id', forMembers],
  ['PATCH /env-templates/:id', forAdmins, KEYS],
  ['DELETE /env-templates/:id', forAdmins],
  ['GET /projects/:projectId/agent-templates', forMembers],
  ['POST /projects/:projectId/agent-templates', forAdmins, { name: 'mine', role: 'light-agent' }],
  ['GET /agent-templates/:id', forMembers],
  ['PATCH /agent-templates/:id', forAdmins, { greeting: 'Hello.' }],
  ['DELETE /agent-templates/:id', forAdmins],
  ['GET /agent-templates/:id/versions', forMembers],
  ['GET /agent-templates/:id/versions/:version', forMembers],
  ['POST /agent-templates/:id/tools/:name/try', forAdmins, {}],
  ['GET /projects/:projectId/plan-templates', forMembers],
  ['POST /projects/:projectId/plan-templates', forAdmins, { name: 'mine', ...STEPS }],
  ['GET /plan-templates/:id', forMembers],
  ['PATCH /plan-templates/:id', forAdmins, STEPS],
  ['DELETE /plan-templates/:id', forAdmins],
];

/** The routes about the caller, or about nobody; the outcomes are those for a key and for a participant. */
export const OTHER_ROUTES: [string, key: Outcome, participant: Outcome, object?][] = [
  ['GET /auth/me', 'allowed', 'allowed'],
  ['PATCH /auth/me', 'people_only', 'absent', { name: 'renamed' }],
  ['DELETE /auth/me', 'people_only', 'absent', { password: TEST_PASSWORD }],
  [
    'POST /auth/password',
    'people_only',
    'absent',
    { current: TEST_PASSWORD, new: 'battery staple' },
  ],
  ['POST /auth/sign-out', 'people_only', 'absent', {}],
  ['POST /invitations/accept', 'people_only', 'absent', { secret: 'wrong' }],
  ['GET /projects', 'allowed', 'absent'],
  ['POST /projects', 'people_only', 'absent', { name: 'mine' }],
  ['GET /agent-types', 'allowed', 'absent'],
  ['GET /monitoring/stats', 'people_only', 'absent'],
];
