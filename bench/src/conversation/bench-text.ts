import { markdownTable, percentile } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { ConversationTestbed } from './bench-conversation.ts';
import type { TimedModel } from './timed-model.ts';
import { TimedPerson } from './timed-person.ts';

/** How often each time is measured with one agent. An agent asks its model at most twenty times a minute. */
const TURNS = 3;

type Times = Record<(typeof MEASURED)[number], number[]>;
const MEASURED = [
  'typed → first words in the room',
  'first token → first words in the room',
  'new text → request aborted',
  'tool called → its result at the model',
] as const;

/** Measures one conversation after another, each in its own session. The first one of each role only warms up. */
export async function benchText(
  testbed: ConversationTestbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const rows: string[][] = [];
  for (const role of testbed.roles) {
    const measured = await progress.during(`Talking with the ${role}`, async (note) => {
      const agents: Times[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        note(`${round} of ${rounds}`);
        agents.push(await measure(testbed, role, stop));
      }
      return agents.slice(1);
    });
    for (const name of MEASURED) {
      const times = measured.flatMap((agent) => agent[name]);
      const ms = (part: number) => `${Math.round(percentile(times, part))} ms`;
      rows.push([role, name, ms(0.5), ms(0.95), String(times.length)]);
    }
  }
  return markdownTable(['agent', 'from → to', 'p50', 'p95', 'of'], rows);
}

async function measure(
  { api, model, envTemplateId }: ConversationTestbed,
  role: ConversationTestbed['roles'][number],
  stop: AbortSignal,
): Promise<Times> {
  const sessionId = await api.createSession();
  const agentTemplateId = await api.createAgentTemplate(role, model.tools);
  await using person = await TimedPerson.join(await api.access(sessionId), stop);
  const agentId = await api.startAgent(sessionId, { agentTemplateId, envTemplateId });
  const typed: number[] = [];
  const shown: number[] = [];
  const aborted: number[] = [];
  const called: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const times = await answerTimes(person, model);
    typed.push(times.typed);
    shown.push(times.shown);
    aborted.push(await abortTime(person, model));
    called.push(await toolTime(person, model));
  }
  await api.stopAgent(agentId);
  return {
    'typed → first words in the room': typed,
    'first token → first words in the room': shown,
    'new text → request aborted': aborted,
    'tool called → its result at the model': called,
  };
}

async function answerTimes(
  person: TimedPerson,
  model: TimedModel,
): Promise<{ readonly typed: number; readonly shown: number }> {
  model.isEndless = false;
  const typedAt = await person.type('Good morning. Can you hear me?');
  const shownAt = await person.firstWordsAfter(typedAt);
  await person.silence();
  const firstTokenAt = model.requests.at(-1)?.firstTokenAt ?? Number.NaN;
  return { typed: shownAt - typedAt, shown: shownAt - firstTokenAt };
}

async function abortTime(person: TimedPerson, model: TimedModel): Promise<number> {
  model.isEndless = true;
  await person.firstWordsAfter(await person.type('Tell me a long story.'));
  model.isEndless = false;
  const interrupted = model.requests.at(-1);
  const typedAt = await person.type('Stop, please.');
  const abortedAt = await person.until('the abort of the request', () => {
    const at = interrupted?.abortedAt ?? Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  });
  await person.firstWordsAfter(typedAt);
  await person.silence();
  return abortedAt - typedAt;
}

/** Returns the time from the call to the next request. The tool's server answers at once. */
async function toolTime(person: TimedPerson, model: TimedModel): Promise<number> {
  model.isEndless = false;
  model.callsTool = true;
  const before = model.requests.length;
  await person.firstWordsAfter(await person.type('What do you know of it?'));
  await person.silence();
  model.callsTool = false;
  const [call, answer] = model.requests.slice(before);
  return (answer?.receivedAt ?? Number.NaN) - (call?.calledAt ?? Number.NaN);
}
