import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAgent, type RoomEvent } from '@session/contract/room';
import {
  begin,
  calls,
  type ReceivedRequest,
  type Reply,
  says,
  sendWords,
} from '@session/conversation/testing';
import { type JoinedRoom, joinRoom } from '@session/media';
import { listenToWords } from '@session/media/testing';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';

const Records = z.object({ agents: z.record(z.string(), z.object({ pid: z.number() })) });
const Messages = z.array(z.object({ role: z.string(), content: z.string().nullish() }));

export const PLAN = {
  name: 'Booking',
  description: 'Takes a booking.',
  steps: [
    {
      id: 'name',
      title: 'Your name',
      instructions: 'Ask for the name.',
      deliverable: { id: 'customer', title: 'Customer', type: 'text' as const, required: true },
    },
    { id: 'wish', title: 'Your wish', instructions: 'Ask for the wish.' },
  ],
};

/** What the scripted model answers to the newest text of a user; the last match counts. An answer with … never ends. */
const ANSWERS: readonly (readonly [said: RegExp, answer: string])[] = [
  [/Greet the user/, 'Hello. What is your name?'],
  [/a story/, 'Once upon a time…'],
  [/stop/, 'All right.'],
  [/another one/, 'Far away…'],
  [/are you there/i, 'I am here.'],
  [/the last one/, 'Long ago…'],
  [/still there/, 'Still here.'],
];

/** A model for `PLAN`: it stores the name, and completes the first step. */
export const talks: Reply = (response, request) => {
  const messages = promptOf(request);
  const { role, content } = messages.at(-1) ?? {};
  if (role === 'tool') return says('Thank you, Ada.')(response, request);
  if (/I am Ada/.test(content ?? '')) {
    const value = { deliverable: 'customer', value: 'Ada' };
    const reply = calls(['set_deliverable', value], ['complete_step', { step: 'name' }]);
    return reply(response, request);
  }
  const [, answer = 'What?'] = ANSWERS.findLast(([said]) => said.test(content ?? '')) ?? [];
  if (!answer.endsWith('…')) return says(answer)(response, request);
  begin(response);
  return sendWords(response, answer.slice(0, -1));
};

export function promptOf({ body }: ReceivedRequest): z.output<typeof Messages> {
  return Messages.parse(body['messages']);
}

export interface Talker {
  readonly room: JoinedRoom;
  readonly untilState: (state: string) => Promise<void>;
  /** Waits until these words have arrived, in the middle of what the agent says. */
  readonly untilWords: (words: string) => Promise<void>;
  readonly untilHeard: (text: string) => Promise<void>;
}

/** Joins a room, until the end of the test. */
export async function joinAsTalker(access: { url: string; token: string }): Promise<Talker> {
  const texts: string[] = [];
  const onEvent = (event: RoomEvent) => {
    if (event.type === 'text_stream') texts.push(event.text);
  };
  const words = listenToWords();
  onTestFinished(() => words.stop());
  const room = await joinRoom({ ...access, onEvent });
  onTestFinished(() => room.leave());
  const states = () =>
    room.participants.filter(isAgent).map(({ attributes }) => attributes['lk.agent.state']);
  return {
    room,
    untilState: async (state) => {
      await expect.poll(states, { timeout: 60_000 }).toEqual([state]);
    },
    untilWords: async (text) => {
      await expect.poll(() => words.text, { timeout: 60_000 }).toContain(text);
    },
    untilHeard: async (text) => {
      await expect.poll(() => texts, { timeout: 60_000 }).toContain(text);
    },
  };
}

/** Returns the pid of an agent's newest process, which the launcher has recorded in `folder`. */
export async function pidOfAgent(folder: string, agentId: string): Promise<number> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  const records = texts.flatMap((text) => Object.entries(Records.parse(JSON.parse(text)).agents));
  const own = records.filter(([workloadId]) => workloadId.startsWith(agentId));
  const pid = own.at(-1)?.[1].pid;
  if (pid === undefined) throw new Error(`no process of agent ${agentId} is recorded`);
  return pid;
}

/** Returns the command lines of all processes of this machine; empty where there is no /proc. */
export async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n');
}
