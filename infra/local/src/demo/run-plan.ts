import type { Message, PlanTemplateBody } from '@session/client';
import { StartError } from '@session/kit';
import { compareState, type StateMoment } from './compare-state.ts';
import { compareMessages, type SpokenMessage } from './compare-with-history.ts';
import { poll } from './poll.ts';
import { joinDemoRoom } from './room.ts';
import { type DemoOptions, type DemoResult, lineOf, sayHistory } from './run.ts';
import { DemoSession } from './session.ts';

const NAME = 'Ann';
export const PLAN: PlanTemplateBody = {
  name: 'Booking',
  description: 'You take bookings for a small hotel.',
  steps: [
    {
      title: 'The day',
      instructions: 'Ask on which day the guest arrives.',
      deliverable: { title: 'Day of arrival', type: 'date', required: true },
    },
    {
      title: 'The room',
      instructions: 'Ask which room the guest wants.',
      deliverable: {
        title: 'Room',
        type: 'choice',
        choices: ['Garden', 'Sea view'],
        required: true,
      },
    },
  ],
};
const SENTENCES = ['24 November 2026', 'sea view'];
const VALUES = ['2026-11-24', 'Sea view'];

/**
 * Walks through a plan with the light agent and the rehearsal model. Checks the history, the finished plan, and the state at
 * each moment.
 */
export async function runPlanDemo(options: DemoOptions): Promise<DemoResult> {
  const { apiUrl, progress, waitMs, stop } = options;
  const { say, during } = progress;
  await using session = await during('Opening a session', () =>
    DemoSession.open(apiUrl, NAME, stop),
  );
  say(`${NAME} signed up, created a project and opened session ${session.id}.`);
  const isRecorded = await during('Waiting for the recorder', () => session.isRecorded(waitMs));
  if (!isRecorded)
    throw new StartError('No recorder has joined the room: check the recorder’s log.');
  const spoken = await walk(session, options);
  const isComplete = (history: readonly Message[]) =>
    compareMessages(spoken, history).faults.length === 0;
  const history = await during('Waiting for the end of the history', () =>
    session.history(isComplete, waitMs),
  );
  sayHistory(say, history);
  const moments = await during('Asking for the state at each moment', () =>
    stateMoments(session, history),
  );
  return resultOf(spoken, history, moments);
}

async function walk(session: DemoSession, options: DemoOptions): Promise<readonly SpokenMessage[]> {
  const { progress, waitMs, stop } = options;
  const { say, during } = progress;
  const templates = await session.createTemplates(PLAN, { LLM_API_KEY: 'rehearsal' });
  say('\nIn the room:');
  await using room = await during('Joining the room', async () =>
    joinDemoRoom(await session.access(), NAME, (message) => say(lineOf(message))),
  );
  const agentId = await during('Starting the light agent', () =>
    session.startAgent({ role: 'light-agent', ...templates }),
  );
  const answers = () => room.messages.filter(({ isAgent }) => isAgent).length;
  const hasAnswered = (count: number) =>
    during('Waiting for the answer', () =>
      poll(() => answers() > count || undefined, waitMs, stop),
    );
  await hasAnswered(0);
  for (const sentence of SENTENCES) {
    const before = answers();
    await room.say(sentence);
    await hasAnswered(before);
  }
  await during('Stopping the light agent', () => session.stopAgent(agentId));
  return room.messages;
}

async function stateMoments(
  session: DemoSession,
  history: readonly Message[],
): Promise<StateMoment[]> {
  const moments: StateMoment[] = [{ messages: history.length, state: await session.state() }];
  for (const [index, { timestamp }] of history.entries()) {
    moments.push({ messages: index + 1, state: await session.state(timestamp) });
  }
  return moments;
}

function resultOf(
  spoken: readonly SpokenMessage[],
  history: readonly Message[],
  moments: readonly StateMoment[],
): DemoResult {
  const { stored, missing, faults } = compareMessages(spoken, history);
  const { steps = [], deliverables = [] } = moments[0]?.state.plans[0] ?? {};
  const done = steps.filter(({ state }) => state === 'done').length;
  const right = deliverables.filter(({ value }) => VALUES.includes(String(value))).length;
  const isComplete = done === PLAN.steps.length && right === VALUES.length;
  return {
    counts: { steps: done, deliverables: right, stored, missing, states: moments.length },
    faults: [
      ...faults,
      ...compareState(history, moments),
      ...(isComplete
        ? []
        : [`The plan is not completed: ${JSON.stringify({ steps, deliverables })}`]),
    ],
  };
}
