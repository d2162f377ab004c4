import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { handoversSeenBy } from '../../testing/agent-program.ts';
import { startConversing, withoutFirstText } from '../../testing/conversing.ts';
import { HandTime } from '../../testing/hand-time.ts';

const persons = { say: 'I call a colleague.', waitSeconds: 60 };
const definition = { version: 1, tools: [], handover: { persons } };
const variables = { AGENT_DEFINITION: JSON.stringify(definition) };
const handOver = calls(['hand_over', { reason: 'wants a refund' }]);

test('an agent that leaves while it waits for a person takes its request back', async () => {
  await using model = await startScriptedModel(handOver);
  const { agent, ann } = await startConversing({ model, variables });
  await ann.room.say('My money, please');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  await agent.finish();
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested', 'expired']);
});

test('an agent that is stopped before it repeats lost words about a person asks for one once, and takes that back', async () => {
  await using model = await startScriptedModel(handOver, says('I call somebody.'));
  const { agent, ann, untilTurns } = await startConversing({
    model,
    variables: { ...variables, LLM_BUDGET_TOKENS: '110' },
    wrap: withoutFirstText,
  });
  await ann.room.say('My money, please');
  await untilTurns(1);
  await agent.finish();
  await agent.done;
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested', 'expired']);
});

test('an agent that waits for a person says goodbye at its longest time, and asks its model nothing more', async () => {
  await using model = await startScriptedModel(handOver);
  const time = new HandTime();
  const limit = { ...variables, MAX_TALK_MINUTES: '1' };
  const { agent, ann } = await startConversing({ model, variables: limit, time });
  await ann.room.say('My money, please');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  time.advance(60_000);
  await agent.done;
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['I call a colleague.', 'Our time is over. Goodbye.']);
  expect(handoversSeenBy(ann)).toEqual(['requested', 'expired']);
  expect(model.requests).toHaveLength(1);
});
