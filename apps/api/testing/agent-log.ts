import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { TestApi, TestUser } from './api.ts';

/** 2026-11-21T08:00:00Z, in microseconds. */
const BEGAN = 1_795_248_000_000_000;

/** Creates an agent in a session of its own with `count` log lines, one every `everyUs` microseconds. Returns its id. */
export async function insertAgent(
  api: TestApi,
  user: TestUser,
  count: number,
  everyUs = 1,
): Promise<string> {
  const sessionId = await api.createSession(user);
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: user.id };
  const part = { planId: null, envTemplateId: null, config: {} };
  await db.insertAgent(api.deps.database, { ...agent, ...part });
  await write(api, agent.id, count, everyUs);
  return agent.id;
}

/** Adds `count` lines to the agent's log: `line 0`, `line 1` and so on. */
export async function write(api: TestApi, id: string, count: number, everyUs = 1): Promise<void> {
  const { database } = api.deps;
  const end = await db.findLogEnd(database, id);
  const lines = Array.from({ length: count }, (_, index) => {
    const number = end.nextLine + index;
    return { at: BEGAN + number * everyUs, line: `line ${number}` };
  });
  if (count > 0) await db.appendLog(database, id, end, lines);
}

/** Sets the agent to Stopped. */
export async function stop(api: TestApi, id: string): Promise<void> {
  const end = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 } as const;
  await db.updateAgentState(api.deps.database, id, end);
}
