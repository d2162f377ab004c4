import { fails, holds, says, startScriptedModel } from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { statesSeenBy } from '../../../testing/agent-program.ts';
import { startConversing } from '../../../testing/conversing.ts';

function turnsOf(streams: readonly { readonly attributes: Readonly<Record<string, string>> }[]) {
  return streams.map(({ attributes: { 'session.turn': turn } }) =>
    turn === undefined ? undefined : JSON.parse(turn),
  );
}

test('an answer ends with the figures of its turn', async () => {
  await using model = await startScriptedModel(says('Good', ' morning.'));
  const { ann, untilTurns, turns } = await startConversing({ model });
  await ann.room.say('one');
  await ann.untilAnswered(1);
  await untilTurns(1);
  const [turn] = turnsOf(ann.streams());
  expect(turn).toEqual({
    model: 'scripted',
    fallback: false,
    endOfTurnMs: expect.any(Number),
    firstTokenMs: expect.any(Number),
    firstWordsMs: expect.any(Number),
    durationMs: expect.any(Number),
    modelCalls: 1,
    toolCalls: 0,
    promptTokens: 100,
    completionTokens: 10,
  });
  // Typed texts are gathered for 300 ms.
  expect(turn.endOfTurnMs).toBeGreaterThanOrEqual(300);
  expect(turn.firstTokenMs).toBeLessThanOrEqual(turn.firstWordsMs);
  expect(turn.firstWordsMs).toBeLessThanOrEqual(turn.durationMs);
  const { firstTokenMs, firstWordsMs, endOfTurnMs } = turn;
  expect(turns()[0]).toMatchObject({ firstTokenMs, firstWordsMs, endOfTurnMs });
});

test('an interrupted answer has figures too, a notice and the words of the template have none', async () => {
  const { reply, words } = holds('One moment');
  await using model = await startScriptedModel(reply, says('Both.'), fails(401));
  const variables = { GREETING: 'Welcome.' };
  const { ann } = await startConversing({ model, variables });
  await ann.untilAnswered(1);
  await ann.room.say('one');
  await expect.poll(() => model.requests).toHaveLength(1);
  words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  await ann.room.say('two');
  await ann.untilAnswered(3);
  await ann.room.say('three');
  await ann.untilAnswered(4);
  const figures = { model: 'scripted', modelCalls: 1, fallback: false };
  const marked = expect.objectContaining({ 'session.interrupted': 'true' });
  expect(ann.streams()[1]?.attributes).toEqual(marked);
  expect(turnsOf(ann.streams())).toMatchObject([undefined, figures, figures, undefined]);
});

test('an answer of the fallback model names it, with the requests of both', async () => {
  await using first = await startScriptedModel(fails(500));
  await using second = await startScriptedModel(says('Here.'));
  const { ann } = await startConversing({
    model: first,
    variables: {
      LLM_FALLBACK_API_KEY: 'other-key',
      LLM_FALLBACK_BASE_URL: second.baseUrl,
      LLM_FALLBACK_MODEL: 'second',
    },
  });
  await ann.room.say('one');
  await ann.untilAnswered(1);
  expect(turnsOf(ann.streams())).toMatchObject([{ model: 'second', fallback: true }]);
});
