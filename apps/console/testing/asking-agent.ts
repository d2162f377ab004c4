import { startSession } from './conversations.ts';
import type { Person } from './people.ts';

const STEP = { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' };

const NUDGE_AFTER_MS = 1500;

/**
 * Returns a session with an agent that has asked its first question. It asks once more when a person is in the room and silent,
 * and leaves after `leaveAfterMinutes` with nobody there.
 */
export async function startAskingAgent(
  person: Pick<Person, 'client'>,
  leaveAfterMinutes = 30,
): Promise<{ readonly sessionId: string; readonly projectId: string; readonly agentId: string }> {
  const { client } = person;
  const { sessionId, projectId } = await startSession(person);
  const { id: planId } = await client.planTemplates.create(projectId, {
    name: 'A day',
    steps: [STEP],
  });
  const { id: envTemplateId } = await client.envTemplates.create(projectId, {
    name: 'Rehearsal',
    variables: {
      LLM_API_KEY: 'rehearsal',
      NUDGE_AFTER_MS: String(NUDGE_AFTER_MS),
      LEAVE_AFTER_MINUTES: String(leaveAfterMinutes),
    },
  });
  const agent = await client.agents.start(sessionId, { role: 'core-agent', planId, envTemplateId });
  await client.agents.untilRunning(agent.id);
  return { sessionId, projectId, agentId: agent.id };
}
