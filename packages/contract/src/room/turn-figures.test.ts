import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ada, echo, streamOf } from '../../testing/room-events.ts';
import type { TextStreamEvent } from './room-event.ts';
import { turnOf } from './turn-figures.ts';

const FIGURES = {
  model: 'gpt-4.1-mini',
  fallback: false,
  endOfTurnMs: 640,
  firstTokenMs: 310,
  firstWordsMs: 320,
  durationMs: 2100,
  modelCalls: 2,
  toolCalls: 1,
  promptTokens: 900,
  completionTokens: 60,
};

function turnIn(turn: string, fields: Partial<TextStreamEvent> = {}) {
  return turnOf(streamOf({ sender: echo, attributes: { 'session.turn': turn }, ...fields }));
}

test('the figures of an agent’s answer stand in its metadata', () => {
  expect(turnIn(JSON.stringify(FIGURES))).toEqual(FIGURES);
  expect(turnIn(JSON.stringify({ firstWordsMs: 12.5 }))).toEqual({ firstWordsMs: 12.5 });
});

test.each<[string, string, object | undefined]>([
  ['is no JSON', '{"model":', undefined],
  ['is a list', '[1]', undefined],
  ['is null', 'null', undefined],
  ['has nothing of ours', '{"mood":"good","__proto__":{"durationMs":1}}', undefined],
  ['has a field that is not ours', '{"durationMs":1,"mood":"good"}', { durationMs: 1 }],
  ['has a number as a text', '{"durationMs":"1","toolCalls":2}', { toolCalls: 2 }],
  ['has an infinite number', '{"durationMs":1e999,"toolCalls":2}', { toolCalls: 2 }],
  ['has a number that nothing takes', '{"durationMs":1e300,"toolCalls":2}', { toolCalls: 2 }],
  ['has a negative number', '{"durationMs":-1,"toolCalls":2}', { toolCalls: 2 }],
  ['has a model without a name', '{"model":"","toolCalls":2}', { toolCalls: 2 }],
  ['has a name that is too long', `{"model":"${'m'.repeat(201)}","toolCalls":2}`, { toolCalls: 2 }],
  ['has a name that is no text', '{"model":7,"fallback":"yes","toolCalls":2}', { toolCalls: 2 }],
  ['cannot be stored', String.raw`{"model":"a\u0000\ud800"}`, { model: 'a\uFFFD\uFFFD' }],
  ['is larger than 1 KiB', `${JSON.stringify(FIGURES)}${' '.repeat(1024)}`, undefined],
])('a value that %s loses that alone', (_what, value, turn) => {
  expect(turnIn(value)).toEqual(turn);
});

test('figures of a person, or in a person’s name, are none', () => {
  const turn = JSON.stringify(FIGURES);
  expect(turnIn(turn, { sender: ada })).toBeUndefined();
  expect(turnIn(turn, { transcribers: ['agent-other'] })).toBeUndefined();
});

test('any trailer can be read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (value) => {
      expect(() => turnIn(value)).not.toThrow();
    }),
  );
});
