import { startScriptedModel } from '@session/conversation/testing';
import type { VoiceUser } from '@session/media/testing';
import { speech, startSpeechEndpoints } from '@session/testing';
import { expect, test } from 'vitest';
import { openTalkRoom } from '../../testing/voice-room.ts';

const PLAN = {
  id: '01890a5d-ac96-774b-bcce-b30200000009',
  projectId: '01890a5d-ac96-774b-bcce-b30200000008',
  name: 'Order',
  description: '',
  steps: ['one', 'two', 'three'].map((id) => ({
    id,
    title: `Step ${id}`,
    instructions: 'Ask.',
    deliverable: { id: `value-${id}`, title: `Value ${id}`, type: 'text', required: true },
  })),
};

test('what a person said comes before what it causes: the events of the plan, and the answer', async () => {
  await using unused = await startScriptedModel();
  await using endpoints = await startSpeechEndpoints();
  // This model answers at once.
  const rehearsal = { LLM_API_KEY: 'rehearsal', LLM_BASE_URL: '', LLM_MODEL: '' };
  const { ann, texts } = await openTalkRoom(unused, endpoints, {
    ...rehearsal,
    PLAN: JSON.stringify(PLAN),
  });
  for (const count of [1, 2, 3]) {
    await ann.speak(speech(700));
    await expect.poll(() => texts().filter(({ by }) => by !== 'Ann')).toHaveLength(count);
  }
  const order = ann.arrivals.flatMap((arrival) => kindOf(arrival, ann.identity) ?? []);
  const turn = ['said', 'value', 'answer'];
  expect(order).toEqual([...turn, ...turn, ...turn]);
});

function kindOf(
  arrival: VoiceUser['arrivals'][number],
  person: string,
): 'said' | 'value' | 'answer' | undefined {
  if (!('payload' in arrival)) return arrival.identity === person ? 'said' : 'answer';
  const packet = new TextDecoder().decode(arrival.payload);
  return packet.includes('plan_deliverable_update') ? 'value' : undefined;
}
