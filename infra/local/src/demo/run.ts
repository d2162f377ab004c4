import type { Message } from '@session/contract';
import type { Progress } from '../supervision/progress.ts';
import { authorOf, compareWithHistory, type SpokenMessage } from './compare-with-history.ts';
import { poll } from './poll.ts';
import { type DemoRoom, joinDemoRoom } from './room.ts';
import { DemoSession } from './session.ts';

const NAME = 'Ann';
const SENTENCES = [
  'Good morning! Can you hear me?',
  'Everything that we say here is stored.',
  'Then I can read it again tomorrow. Goodbye!',
];

export interface DemoOptions {
  readonly apiUrl: string;
  readonly progress: Progress;
  readonly waitMs: number;
  readonly stop: AbortSignal;
}

export interface DemoResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Talks with the echo agent, and checks the history. Throws a StartError when a step fails or `stop` aborts. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { apiUrl, progress, waitMs, stop } = options;
  const { say, during } = progress;
  await using session = await during('Opening a session', () =>
    DemoSession.open(apiUrl, NAME, stop),
  );
  say(`${NAME} signed up, created a project and opened session ${session.id}.`);
  const isRecorded = await during('Waiting for the recorder', () => session.isRecorded(waitMs));
  say(
    isRecorded
      ? 'A recorder is in the room.'
      : 'No recorder has joined yet: the conversation begins without one.',
  );
  const spoken = await talk(session, options);
  const isComplete = (history: readonly Message[]) =>
    compareWithHistory(spoken, history).faults.length === 0;
  const history = await during('Waiting for the end of the history', () =>
    session.history(isComplete, waitMs),
  );
  sayHistory(say, history);
  const { faults, ...counts } = compareWithHistory(spoken, history);
  return { counts, faults };
}

async function talk(session: DemoSession, options: DemoOptions): Promise<readonly SpokenMessage[]> {
  const { progress, waitMs, stop } = options;
  const { say, during } = progress;
  say('\nIn the room:');
  const access = await session.access();
  await using room = await during('Joining the room', () =>
    joinDemoRoom(access, NAME, (line) => say(lineOf(line))),
  );
  const agentId = await during('Starting the echo agent', () =>
    session.startAgent({ role: 'echo-agent' }),
  );
  for (const sentence of SENTENCES) {
    await room.say(sentence);
    await during('Waiting for the answer', () => poll(() => isAnswered(room), waitMs, stop));
  }
  await during('Stopping the echo agent', () => session.stopAgent(agentId));
  return room.messages;
}

function isAnswered({ messages }: DemoRoom): true | undefined {
  return messages.at(-1)?.isAgent || undefined;
}

export function sayHistory(say: Progress['say'], history: readonly Message[]): void {
  say('\nThe stored history:');
  for (const message of history) {
    const author = message.role === 'system' ? '' : (authorOf(message)?.participant.name ?? '?');
    const line = lineOf({ id: message.id, name: author, content: message.content });
    say(`  ${message.timestamp.slice(11, 23)}${line}`);
  }
}

export function lineOf({
  id,
  name,
  content,
}: {
  id: string;
  name: string;
  content: string;
}): string {
  return `  ${name.padEnd(13)}${content.padEnd(56)} …${id.slice(-8)}`;
}
