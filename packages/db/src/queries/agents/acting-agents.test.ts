import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { addAgent } from '../../../testing/agents.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import {
  insertAgentTemplate,
  updateAgentTemplate,
} from '../agent-templates/agent-template-changes.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { endConversation, followAgentActs, listActingAgents } from './acting-agents.ts';
import { requestAgentStop, updateAgentState } from './agent-changes.ts';

const ALLOWED = { endConversation: { closeSession: true } };
const STOPPED = { status: 'Stopped', reason: 'requested', detail: null, exitCode: 0 } as const;

test('live agents act whose version of the template allows it', async ({ project }) => {
  const allowed = await startWith(project, ALLOWED);
  const [asked, stopped] = [await startWith(project, ALLOWED), await startWith(project, ALLOWED)];
  await requestAgentStop(project, asked.id, 'requested');
  await updateAgentState(project, stopped.id, STOPPED);
  await startWith(project, { endConversation: null });
  await startWith(project, {});
  // The version with which an agent was started continues to count.
  await updateAgentTemplate(project, { ...allowed.template, definition: {}, version: 1 });
  const agents = await listActingAgents(project);
  expect(agents).toContainEqual({
    id: allowed.id,
    sessionId: allowed.sessionId,
    role: 'light-agent',
    createdAt: expect.stringMatching(/Z$/),
    projectId: project.projectId,
    envTemplateId: null,
    createdBy: project.userId,
    variables: {},
    handover: null,
    restartPolicy: 'never',
    successorId: null,
    successorHandoverId: null,
    isSuccessorRunning: false,
    ...ALLOWED,
  });
  const ids = agents.map(({ id }) => id);
  expect(ids).not.toContain(asked.id);
  expect(ids).not.toContain(stopped.id);
});

test('the acts of one agent in the last hour of its session come once, behind a position', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const identity = 'agent-light-agent-0a1b2c3d';
  const report = (kind: string, from: string) =>
    typedText(sessionId, {
      kind,
      role: 'system',
      status: null,
      metadata: { kind, participant: { identity: from }, payload: { reason: 'booked' } },
    });
  const ended = report('conversation_ended', identity);
  const follow = (position: string) => followAgentActs(project, { sessionId, identity, position });
  await appendMessages(project, [
    typedText(sessionId, { content: 'hello' }),
    report('conversation_ended', 'agent-light-agent-ffffffff'),
    report('tool_call', identity),
    ended,
  ]);
  const first = await follow('2020-01-01T00:00:00.000Z');
  const act = {
    id: ended.id,
    kind: 'conversation_ended',
    isOld: false,
    report: { reason: 'booked' },
  };
  expect(first?.acts).toEqual([act]);
  expect(await follow(first?.end ?? '')).toEqual({ acts: [], end: first?.end });
  await project.sql`
    update session_heads set last_at = last_at + interval '2 hours' where session_id = ${sessionId}`;
  expect(await follow('2020-01-01T00:00:00.000Z')).toMatchObject({ acts: [] });
  const none = { sessionId: ended.id, identity, position: first?.end ?? '' };
  expect(await followAgentActs(project, none)).toBeUndefined();
});

test.for([true, false])(
  'an agent ends its conversation once; the session closes: %s',
  async (closes, { project }) => {
    const agent = await startWith(project, ALLOWED);
    expect(await endConversation(project, agent, closes)).toBe(true);
    expect(await endConversation(project, agent, closes)).toBe(false);
    const [row] = await project.sql`
    select agent.desired, agent.reason, session.status, session.close_reason, session.closed_by_agent
    from agents agent join sessions session on session.id = agent.session_id
    where agent.id = ${agent.id}`;
    expect(row).toEqual({
      desired: 'stopped',
      reason: 'conversation_ended',
      status: closes ? 'CLOSED' : 'ACTIVE',
      // An API of the former release can read this.
      close_reason: closes ? 'user' : null,
      closed_by_agent: closes,
    });
  },
);

test('an agent that was asked to stop, or has stopped, closes nothing', async ({ project }) => {
  const asked = await startWith(project, ALLOWED);
  await requestAgentStop(project, asked.id, 'requested');
  const stopped = await startWith(project, ALLOWED);
  await updateAgentState(project, stopped.id, STOPPED);
  for (const agent of [asked, stopped]) {
    expect(await endConversation(project, agent, true)).toBe(false);
    const [session] = await project.sql`select status from sessions where id = ${agent.sessionId}`;
    expect(session).toEqual({ status: 'ACTIVE' });
  }
});

/** Starts an agent in a new session, with a new template. */
async function startWith(project: TestProject, definition: object) {
  const template = newAgentTemplate(project, { definition });
  await insertAgentTemplate(project, template);
  const sessionId = await project.newSession();
  const agentTemplate = { id: template.id, version: 1, values: {} };
  const id = await addAgent(project, { role: 'light-agent', sessionId, agentTemplate });
  return { id, sessionId, template };
}
