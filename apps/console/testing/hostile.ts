import type { Person } from './people.ts';

const FOREIGN = 'https://foreign.example';

/** Texts that a careless page runs, follows, loads, or lets break its layout. */
const HOSTILE = {
  markup: `<img src="${FOREIGN}/a.png" onerror="fetch('${FOREIGN}')"><script>fetch('${FOREIGN}')</script>`,
  links: `[a](javascript:fetch('${FOREIGN}')) ![b](${FOREIGN}/b.png) <a href="javascript:1">c</a>`,
  rightToLeft: '\u202Eevil\u202C \u05E9\u05DC\u05D5\u05DD \u200B\u200D\u2060\uFEFF zero',
  longWord: 'W'.repeat(2000),
} as const;

export const LONGEST_WORD = 'W'.repeat(32_000);

/** A project all of whose names and texts are hostile, with one of everything that a page shows. */
export interface HostileProject {
  readonly projectId: string;
  readonly sessionId: string;
  readonly closedSessionId: string;
  readonly agentId: string;
}

export async function makeHostileProject({ client }: Person): Promise<HostileProject> {
  const name = `${HOSTILE.markup}${HOSTILE.rightToLeft}`.slice(0, 100);
  const { id: projectId } = await client.projects.create({ name });
  const { id: sessionId } = await client.sessions.create(projectId, {
    name: 'W'.repeat(100),
    externalId: 'W'.repeat(255),
    metadata: { ['W'.repeat(40)]: HOSTILE.markup, [HOSTILE.rightToLeft]: 'W'.repeat(500) },
  });
  const { id: closedSessionId } = await client.sessions.create(projectId, { name });
  const step = { title: HOSTILE.markup, instructions: HOSTILE.links, deliverable: 'W'.repeat(200) };
  const plan = { name, description: HOSTILE.rightToLeft, steps: [step] };
  const { id: planId } = await client.planTemplates.create(projectId, plan);
  const variables = { LLM_API_KEY: 'rehearsal', [`W${'_W'.repeat(30)}`]: HOSTILE.markup };
  await client.envTemplates.create(projectId, { name: 'W'.repeat(100), variables });
  await client.apiKeys.create(projectId, { name });
  await client.apiKeys.create(projectId, { name: 'W'.repeat(100), role: 'ADMIN' });
  for (const content of Object.values(HOSTILE)) await client.messages.say(sessionId, { content });
  const agent = await client.agents.start(sessionId, { role: 'echo-agent', planId });
  await client.agents.untilRunning(agent.id);
  await client.sessions.close(closedSessionId);
  return { projectId, sessionId, closedSessionId, agentId: agent.id };
}
