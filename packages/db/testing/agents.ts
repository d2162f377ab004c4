import { v7 as uuidv7 } from 'uuid';
import { insertAgent, type NewAgentRow } from '../src/queries/agents/agent-insertion.ts';
import type { TestProject } from './project.ts';

/** Returns an agent to insert, to be varied. */
export function newAgent(
  { userId }: Pick<TestProject, 'userId'>,
  sessionId: string,
  part: Partial<NewAgentRow> = {},
): NewAgentRow {
  return {
    id: uuidv7(),
    sessionId,
    role: 'echo-agent',
    planId: null,
    envTemplateId: null,
    config: {},
    createdBy: userId,
    ...part,
  };
}

/** Stores an agent in a session, or in a new one, and returns its id. */
export async function addAgent(
  project: TestProject,
  part: Partial<NewAgentRow> = {},
): Promise<string> {
  const sessionId = part.sessionId ?? (await project.newSession());
  const agent = newAgent(project, sessionId, part);
  const outcome = await insertAgent(project, agent);
  if (outcome !== 'inserted') throw new Error(`the agent was not inserted: ${outcome}`);
  return agent.id;
}
