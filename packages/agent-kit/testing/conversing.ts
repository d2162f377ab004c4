import { randomUUID } from 'node:crypto';
import { openModel, openTools } from '@session/conversation';
import { PLANTED_KEY, type ScriptedModel } from '@session/conversation/testing';
import { agentToken, type JoinedRoom, joinRoom } from '@session/media';
import { testMedia } from '@session/testing';
import { onTestFinished } from 'vitest';
import { packetCheck } from '../src/config.ts';
import { ConversingAgent } from '../src/conversation/conversing-agent.ts';
import { loadConfig } from '../src/conversation/load-config.ts';
import type { Voice } from '../src/conversation/output/room-output.ts';
import type { Time } from '../src/conversation/time.ts';
import { LateSenders } from '../src/late-senders.ts';
import { joinAsPerson, launchEnv, type PersonUnderTest } from './agent-program.ts';

export interface ConversingUnderTest {
  /** The name of the room. */
  readonly room: string;
  readonly agent: ConversingAgent;
  /** The room as the agent sees it, perhaps a moment later than Ann. */
  readonly agentRoom: JoinedRoom;
  readonly ann: PersonUnderTest;
  /** The lines of the agent's log. */
  readonly log: readonly string[];
  /** The turns of the log. */
  readonly turns: () => Record<string, unknown>[];
  /** Waits until the log has this many turns. */
  readonly untilTurns: (count: number) => Promise<void>;
}

export interface ConversingOptions {
  readonly model?: ScriptedModel;
  readonly variables?: Record<string, string>;
  readonly voice?: Voice;
  readonly time?: Time;
  /** How long a packet waits for its sender. */
  readonly senderWaitMs?: number;
  /** Called with the name of the room before the agent joins it. */
  readonly beforeJoin?: (room: string) => Promise<unknown>;
  /** Returns the room that the agent gets in place of the real one. */
  readonly wrap?: (room: JoinedRoom) => Parameters<ConversingAgent['joined']>[0];
}

/** Starts a conversational agent in this process, in a real room where Ann is already. */
export async function startConversing({
  model,
  variables = {},
  voice,
  time,
  senderWaitMs = 0,
  beforeJoin,
  wrap = (room) => room,
}: ConversingOptions): Promise<ConversingUnderTest> {
  const server = testMedia();
  const room = randomUUID();
  const ann = await joinAsPerson(server, room);
  await beforeJoin?.(room);
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
    tools: await openTools(config.toolSettings),
    log: (line) => {
      log.push(line);
      logged.resolve();
      logged = Promise.withResolvers();
    },
    ...(voice && { voice }),
    ...(time && { time }),
  });
  const pass = agent.receive.bind(agent);
  const isSigned = packetCheck(config.room);
  const senders = new LateSenders<JoinedRoom>({ isSigned, pass, waitMs: senderWaitMs });
  const who = { room, role: 'core-agent', agentId: randomUUID() };
  const { token } = await agentToken(server, who);
  const joined = await joinRoom({
    url: server.url,
    token,
    onEvent: senders.receive.bind(senders),
  });
  agent.joined(wrap(joined));
  onTestFinished(async () => {
    senders[Symbol.dispose]();
    await agent[Symbol.asyncDispose]();
    await joined.leave();
  });
  const turns = () =>
    log.filter((line) => line.startsWith('{"turn"')).map((line) => JSON.parse(line).turn);
  const untilTurns = async (count: number) => {
    while (turns().length < count) await logged.promise;
  };
  return { room, agent, agentRoom: joined, ann, log, turns, untilTurns };
}

/** Refuses the first text that the agent begins. */
export function withoutFirstText(room: JoinedRoom): JoinedRoom {
  let hasFailed = false;
  return new Proxy(room, {
    get(target, name) {
      if (name === 'openText' && !hasFailed) {
        hasFailed = true;
        return () => Promise.reject(new Error('away'));
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
