import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isAgent, type RoomEvent } from '@session/contract/room';
import { agentToken, type JoinedRoom, joinRoom, packetPublicKey, userToken } from '@session/media';
import { programEnv, type TestMedia } from '@session/testing';
import { expect, onTestFinished } from 'vitest';

/** The id of an agent whose token `launchEnv` makes. */
const AGENT_ID = '01890a5d-ac96-774b-bcce-b30200000001';

export interface AgentUnderTest {
  readonly child: ChildProcess;
  /** Resolves when the agent is in its room. Rejects with its output when it ends before. */
  readonly ready: Promise<unknown>;
  readonly output: () => string;
}

/** Starts the agent whose source is `main`, built if the run has built it. It is killed at the end of the test. */
export function startAgent(main: string, env: Record<string, string>): AgentUnderTest {
  const own = programEnv();
  const app = path.basename(path.resolve(main, '../..'));
  const built = path.join(own['AGENT_PROGRAMS_DIR'] ?? '', app, 'dist/main.js');
  const isBuilt = existsSync(built);
  const child = fork(isBuilt ? built : main, {
    env: { ...own, ...env },
    execArgv: isBuilt ? [] : ['--conditions=@source'],
    silent: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });
  const early = once(child, 'exit').then(() => Promise.reject(new Error(`it ended: ${output}`)));
  const ready = Promise.race([once(child, 'message'), early]);
  ready.catch(() => {});
  return { child, ready, output: () => output };
}

/** Returns the variables that a launcher sets. */
export async function launchEnv(
  server: TestMedia,
  room: string,
  role: string,
  part: { agentId?: string | undefined; lifetimeSeconds?: number } = {},
): Promise<Record<string, string>> {
  const agent = { room, role, ...part, agentId: part.agentId ?? AGENT_ID };
  const { token } = await agentToken(server, agent);
  return {
    MEDIA_URL: server.url,
    MEDIA_TOKEN: token,
    MEDIA_ROOM: room,
    MEDIA_PACKET_KEY: packetPublicKey(server),
  };
}

export interface PersonUnderTest {
  readonly room: JoinedRoom;
  /** Everything that the person received, in order. */
  readonly events: readonly RoomEvent[];
  readonly streams: () => Extract<RoomEvent, { type: 'text_stream' }>[];
  /** The texts of all streams. */
  readonly answers: () => string[];
  /** The packets of agents, parsed. */
  readonly packets: () => unknown[];
  readonly untilAnswered: (count: number) => Promise<void>;
}

/** Joins a room as a person, who leaves at the end of the test. */
export async function joinAsPerson(
  server: TestMedia,
  room: string,
  name = 'Ann',
): Promise<PersonUnderTest> {
  const { token } = await userToken(server, { room, userId: name.toLowerCase(), name });
  const events: RoomEvent[] = [];
  const onEvent = (event: RoomEvent) => void events.push(event);
  const joined = await joinRoom({ url: server.url, token, onEvent });
  onTestFinished(() => joined.leave());
  const streams = () => events.filter((event) => event.type === 'text_stream');
  const answers = () => streams().map(({ text }) => text);
  const packets = () =>
    events.flatMap((event) =>
      event.type === 'packet' ? [JSON.parse(Buffer.from(event.payload).toString())] : [],
    );
  const untilAnswered = async (count: number) => {
    await expect.poll(answers).toHaveLength(count);
  };
  return { room: joined, events, streams, answers, packets, untilAnswered };
}

/** Returns the states that agents show to a person. */
export function statesSeenBy({ room }: PersonUnderTest): (string | undefined)[] {
  return room.participants.filter(isAgent).map(({ attributes }) => attributes['lk.agent.state']);
}

export const isHandover = (packet: unknown) => Object(packet).type === 'handover';

/** Returns the states of the handovers that agents reported to a person. */
export function handoversSeenBy(person: PersonUnderTest): string[] {
  return person
    .packets()
    .filter(isHandover)
    .map((packet) => Object(packet).state);
}
