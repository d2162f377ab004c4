import { describe, expect, test } from 'vitest';
import { DIALECTS, speaks } from '../../testing/dialects.ts';
import { openConversation } from '../../testing/read-turn.ts';
import { startScriptedModel } from '../../testing/scripted-model.ts';

function set(deliverable: string, value: string): readonly [string, object] {
  return ['set_deliverable', { deliverable, value }];
}

function complete(step: string): readonly [string, object] {
  return ['complete_step', { step }];
}

describe.each(DIALECTS)('$name', (dialect) => {
  test('a plan goes from its beginning to its end', async () => {
    await using model = await startScriptedModel(
      speaks(dialect, [
        { calls: [complete('name'), set('customer', 'Ann')] },
        { words: 'Welcome, Ann. Which room?' },
        { calls: [set('room', 'attic')] },
        { words: 'Sea view or garden?' },
        { calls: [set('room', 'GARDEN'), complete('room.kind')] },
        { words: 'The garden it is.' },
        { calls: [complete('farewell')] },
        { words: 'Goodbye.' },
      ]),
    );
    await using talk = openConversation(model, {}, { temperature: 0.2 });
    const turns = [];
    for (const text of ['Ann', 'The attic', 'Garden', 'Bye']) turns.push(await talk.say(text));
    expect(turns.map(({ text, notices }) => [text.trim(), notices])).toEqual([
      ['Welcome, Ann. Which room?', []],
      ['Sea view or garden?', []],
      ['The garden it is.', []],
      ['Goodbye.', []],
    ]);
    expect(turns.flatMap(({ events }) => events.map(({ message }) => message))).toEqual([
      'Customer: Ann',
      '1 of 3 steps done',
      'Now: The room',
      'Room: Garden',
      '2 of 3 steps done',
      'Now: Farewell',
      '3 of 3 steps done',
      'Completed: Booking',
    ]);
    // Each refused field is refused once, and then never sent again.
    expect(model.requests).toHaveLength(8 + Object.keys(dialect.refuses).length);
  });

  test('tokens are counted, by the endpoint or by estimate', async () => {
    await using model = await startScriptedModel(speaks(dialect, [{ words: 'Hello there.' }]));
    await using talk = openConversation(model);
    const { record } = await talk.say('Hello');
    expect(record?.promptTokens).toBeGreaterThan(100);
    expect(record?.completionTokens).toBeGreaterThan(0);
  });
});
