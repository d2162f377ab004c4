import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@session/client';
import { joinDemoRoom } from '../../src/demo/room.ts';
import { signUp } from '../../src/demo/sign-up.ts';
import { patiently } from './patiently.ts';

const EVERY_MS = 100;

export interface TalkThrough {
  readonly said: number;
  readonly requests: number;
  /** Whether everything that was said is stored, once and in order. */
  readonly isHistoryRight: boolean;
  readonly gaps: readonly unknown[];
  /** The reasons of failed requests. */
  readonly failures: readonly string[];
}

/**
 * Talks with an echo agent in a recorded session, and sends requests to `urls` over old and over new connections, while `work`
 * runs. Closes the session at the end.
 */
export async function talkThrough(
  apiUrl: string,
  urls: readonly string[],
  work: () => Promise<void>,
): Promise<TalkThrough> {
  const { client } = await signUp(apiUrl, 'Ann');
  const project = await client.projects.create({ name: 'Rollout' });
  const { id } = await client.sessions.create(project.id, { name: 'Rollout' });
  await patiently(async () => (await client.sessions.get(id)).recording.status === 'recording');
  const { serverUrl, participantToken } = await client.sessions.createToken(id);
  const access = { url: serverUrl, token: participantToken, sessionId: id };
  const agent = await client.agents.start(id, { role: 'echo-agent' });
  await client.agents.untilRunning(agent.id);
  const end = new AbortController();
  const said: string[] = [];
  await using room = await joinDemoRoom(access, 'Ann', () => {});
  const talking = repeat(end.signal, async () => {
    said.push(`Sentence ${said.length}`);
    await room.say(said.at(-1) ?? '');
  });
  const headers = [{}, { connection: 'close' }];
  const requests = urls.flatMap((url) => headers.map((header) => () => answer(url, header)));
  const asking = countFailures(end.signal, requests);
  try {
    await work();
  } finally {
    end.abort();
  }
  await talking;
  const asked = await asking;
  const stored = await patiently(async () => {
    const contents = await storedWords(client, id);
    return contents.length >= said.length && contents;
  });
  const { recording } = await client.sessions.get(id);
  const isHistoryRight = JSON.stringify(stored) === JSON.stringify(said);
  await client.sessions.close(id);
  return { said: said.length, isHistoryRight, gaps: recording.gaps, ...asked };
}

async function storedWords(client: Client, sessionId: string): Promise<string[]> {
  const newestFirst = await client.messages.list(sessionId).toArray({ limit: 10_000 });
  return newestFirst
    .toReversed()
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
}

async function countFailures(
  end: AbortSignal,
  sorts: readonly (() => Promise<void>)[],
): Promise<{ requests: number; failures: string[] }> {
  const failures: string[] = [];
  let requests = 0;
  await Promise.all(
    sorts.map((ask) =>
      repeat(end, async () => {
        requests += 1;
        await ask().catch((error: unknown) => failures.push(String(error)));
      }),
    ),
  );
  return { requests, failures };
}

async function answer(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
}

async function repeat(end: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!end.aborted) {
    await work();
    await sleep(EVERY_MS);
  }
}
