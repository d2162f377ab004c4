import { randomUUID } from 'node:crypto';
import { openModel } from '@session/conversation';
import { PLANTED_KEY, type ScriptedModel } from '@session/conversation/testing';
import { agentToken, type JoinedRoom, joinRoom } from '@session/media';
import { testMedia } from '@session/testing';
import { onTestFinished } from 'vitest';
import { ConversingAgent } from '../src/conversation/conversing-agent.ts';
import { loadConfig } from '../src/conversation/load-config.ts';
import type { Voice } from '../src/conversation/output/voice.ts';
import type { Time } from '../src/conversation/time.ts';
import { joinAsPerson, launchEnv, type PersonUnderTest } from './agent-program.ts';

export interface ConversingUnderTest {
  readonly agent: ConversingAgent;
  readonly ann: PersonUnderTest;
  /** The lines of the agent's log. */
  readonly log: readonly string[];
  /** The turns of the log. */
  readonly turns: () => Record<string, unknown>[];
  /** Waits for so many turns. */
  readonly untilTurns: (count: number) => Promise<void>;
}

export interface ConversingOptions {
  readonly model?: ScriptedModel;
  readonly variables?: Record<string, string>;
  readonly voice?: Voice;
  readonly time?: Time;
  /** Returns the room that the agent gets for the real one. */
  readonly wrap?: (room: JoinedRoom) => Parameters<ConversingAgent['joined']>[0];
}

/** Starts a conversational agent in this process, in a real room where Ann is already. */
export async function startConversing({
  model,
  variables = {},
  voice,
  time,
  wrap = (room) => room,
}: ConversingOptions): Promise<ConversingUnderTest> {
  const server = testMedia();
  const room = randomUUID();
  const ann = await joinAsPerson(server, room);
  const scripted = model && {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
  };
  const launched = await launchEnv(server, room, 'core-agent');
  const config = loadConfig({ ...launched, ...scripted, GREETING: 'off', ...variables });
  const log: string[] = [];
  let logged = Promise.withResolvers<void>();
  const agent = new ConversingAgent({
    ...config,
    sessionId: room,
    model: await openModel(config.settings.model),
    log: (line) => {
      log.push(line);
      logged.resolve();
      logged = Promise.withResolvers();
    },
    ...(voice && { voice }),
    ...(time && { time }),
  });
  const who = { room, role: 'core-agent', agentId: randomUUID() };
  const { token } = await agentToken(server, who);
  const joined = await joinRoom({
    url: server.url,
    token,
    onEvent: (event) => agent.receive(event),
  });
  agent.joined(wrap(joined));
  onTestFinished(async () => {
    await agent[Symbol.asyncDispose]();
    await joined.leave();
  });
  const turns = () =>
    log.filter((line) => line.startsWith('{"turn"')).map((line) => JSON.parse(line).turn);
  const untilTurns = async (count: number) => {
    while (turns().length < count) await logged.promise;
  };
  return { agent, ann, log, turns, untilTurns };
}
