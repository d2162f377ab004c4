import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  type AgentUnderTest,
  joinAsPerson,
  launchEnv,
  type PersonUnderTest,
  startAgent,
  statesSeenBy,
} from '@session/agent-kit/testing';
import { PLANTED_KEY, type ScriptedModel } from '@session/conversation/testing';
import { type TestMedia, testMedia } from '@session/testing';
import { expect } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface LightRoom {
  readonly room: string;
  readonly ann: PersonUnderTest;
  readonly agent: AgentUnderTest;
}

/**
 * Starts a light agent in a room where Ann is already. Returns when Ann sees that it listens, because no API sends it here what
 * it missed while it joined.
 */
export async function openRoom(
  variables: Record<string, string>,
  { server = testMedia(), room = randomUUID() }: { server?: TestMedia; room?: string } = {},
): Promise<LightRoom> {
  const ann = await joinAsPerson(server, room);
  const agent = startLightAgent(await launchEnv(server, room, 'light-agent'), variables);
  await agent.ready;
  await expect.poll(() => statesSeenBy(ann)).toEqual(['listening']);
  return { room, ann, agent };
}

/** Starts the program of the light agent. */
export function startLightAgent(
  launched: Record<string, string>,
  variables: Record<string, string>,
): AgentUnderTest {
  return startAgent(main, { ...launched, ...variables });
}

/** Returns a template's variables that lead to a scripted model, without a greeting. */
export function variablesOf({ baseUrl }: Pick<ScriptedModel, 'baseUrl'>): Record<string, string> {
  const model = { LLM_BASE_URL: baseUrl, LLM_MODEL: 'scripted' };
  return { LLM_API_KEY: PLANTED_KEY, GREETING: 'off', ...model };
}
