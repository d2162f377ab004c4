import { startSession } from './conversations.ts';
import type { Person } from './people.ts';

const STEP = { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' };

const NUDGE_AFTER_MS = 1500;

/**
 * Returns a session, and a function that starts an agent in it and returns the agent's id. The agent asks a question, asks once
 * more when a person in the room stays silent, and leaves after `leaveAfterMinutes` with nobody in the room.
 */
export async function prepareAskingAgent(
  person: Pick<Person, 'client'>,
  leaveAfterMinutes = 30,
): Promise<{ readonly sessionId: string; readonly start: () => Promise<string> }> {
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
  const start = async () => {
    const body = { role: 'core-agent', planId, envTemplateId };
    const { id } = await client.agents.start(sessionId, body);
    await client.agents.untilRunning(id);
    return id;
  };
  return { sessionId, start };
}
