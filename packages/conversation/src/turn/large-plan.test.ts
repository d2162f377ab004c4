import { foldState, type PlanState } from '@session/contract/room';
import { expect, test } from 'vitest';
import { AT, BOOKING, begun, stored } from '../../testing/plans.ts';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import { calls, says, startScriptedModel } from '../../testing/scripted-model.ts';
import { type Plan, readPlanVariable } from '../plan/plan.ts';
import { readConversationVariable } from './stored-conversation.ts';

const VALUE = 'z'.repeat(8192);

const steps = Array.from({ length: 50 }, (_, index) => ({
  id: `step-${index}`,
  title: `Step ${index}`,
  instructions: 'y'.repeat(1800),
  deliverable: {
    id: `value-${index}`,
    title: `Value ${index}`,
    type: 'text' as const,
    required: true,
  },
}));

test('a plan of 50 steps, 100,000 bytes and 50 deliverables of 8 KiB runs, restarts with cut values, and folds', async () => {
  const json = JSON.stringify({ ...BOOKING, projectId: 'p', steps });
  expect(json.length).toBeGreaterThan(95_000);
  const plan: Plan = readPlanVariable(json);
  const { machine, events } = begun(plan);
  for (const { id, deliverable } of steps.slice(0, 49)) {
    const args = { deliverable: deliverable.id, value: VALUE };
    events.push(...machine.call('set_deliverable', args, AT).events);
    events.push(...machine.call('complete_step', { step: id }, AT).events);
  }
  await using model = await startScriptedModel(
    calls(['set_deliverable', { deliverable: 'value-49', value: VALUE }]),
    calls(['complete_step', { step: 'step-49' }]),
    says('Done.'),
  );
  const { plans } = readConversationVariable(variableOf(foldState(stored(events)).plans[0]));
  await using talk = openConversation(model, { plan, planState: plans[0] });
  expect(talk.conversation.begin().map(({ message }) => message)).toEqual(['I am ready.']);
  const turn = await talk.say('That is all');
  expect(turn.events.slice(1).map(({ message }) => message)).toEqual([
    '50 of 50 steps done',
    'Completed: Booking',
  ]);
  const all = [...events, ...turn.events];
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const [whole] = foldState(stored(all)).plans;
  expect(whole?.steps.map(({ state }) => state)).toEqual(steps.map(() => 'done'));
  expect(whole?.deliverables.map(({ value }) => value)).toEqual(steps.map(() => VALUE));
  expect(whole?.revision).toBe(talk.conversation.planState?.revision);
  const sizes = model.requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
  expect(Math.max(...sizes)).toBeLessThan(8192 * 3.5);
  expect(await readTurn(talk.conversation.nudge(new AbortController().signal))).toMatchObject({
    record: { outcome: 'complete' },
  });
});

/** Returns the variable as the platform makes it, with values that are cut and marked. */
function variableOf(plan: PlanState | undefined): string {
  const deliverables = plan?.deliverables.map(({ value, ...rest }) => {
    return { ...rest, value: `${String(value).slice(0, 1500)}…`, truncated: true };
  });
  return JSON.stringify({
    history: [],
    state: { plans: [{ ...plan, deliverables }] },
    truncated: true,
  });
}
