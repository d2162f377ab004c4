import type { PlanState } from '@session/contract/room';
import { readConversationVariable } from '@session/conversation';
import type { RememberedMessage } from '@session/db';
import { anyCharacter } from '@session/testing/any-character';
import * as fc from 'fast-check';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { conversationVariable, MAX_BYTES, MAX_HISTORY_BYTES } from './conversation-variable.ts';

const SESSION = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const AT = '2026-11-24T08:00:00.000Z';
const sizeOf = (text: string | undefined) => Buffer.byteLength(text ?? '');

/** Returns how the contents of a history begin, the oldest first, and whether the variable says that something is missing. */
function contents(words: readonly RememberedMessage[]): [begins: string[], truncated: boolean] {
  const { history, truncated } = JSON.parse(conversationVariable(SESSION, words, undefined) ?? '');
  return [history.map(({ content }: { content: string }) => content.slice(0, 3)), truncated];
}

function word(part: Partial<RememberedMessage> = {}): RememberedMessage {
  return {
    id: uuidv7(),
    timestamp: AT,
    kind: 'text',
    role: 'user',
    content: 'Hello',
    identity: 'user-1',
    name: 'Ann',
    rawId: null,
    hasIdConflict: false,
    isCut: false,
    ...part,
  };
}

function plan(values: readonly (string | number)[]): PlanState {
  const deliverables = values.map((value, index) => ({
    id: `d${index}`,
    title: 'T',
    step: 's',
    value,
    version: 1,
    at: AT,
  }));
  const steps = [{ id: 's', title: 'S', state: 'active' as const }];
  return { id: 'p', name: 'P', revision: 3, steps, deliverables };
}

test('a session without words and without a plan has no variable, unless a handover is open', () => {
  expect(conversationVariable(SESSION, [], undefined)).toBeUndefined();
  const openHandover = { state: 'requested', reason: 'refund' } as const;
  const variable = conversationVariable(SESSION, [], undefined, { openHandover });
  expect(readConversationVariable(variable ?? '')).toMatchObject({ openHandover, history: [] });
});

test('words come the oldest first, under the ids of the room, with names and marks', () => {
  const rawId = uuidv7();
  const renamed = uuidv5('renamed', SESSION);
  const words = [
    word({ role: 'assistant', content: 'Welc', identity: 'agent-1', name: '', isCut: true }),
    word({ id: renamed, rawId, hasIdConflict: true }),
  ];
  const variable = JSON.parse(conversationVariable(SESSION, words, plan(['x'])) ?? '');
  const line = { content: 'Hello', at: AT };
  expect(variable).toEqual({
    history: [
      { ...line, id: rawId, role: 'user', identity: 'user-1', name: 'Ann' },
      {
        ...line,
        id: words[0]?.id,
        role: 'assistant',
        identity: 'agent-1',
        content: 'Welc',
        interrupted: true,
      },
    ],
    state: { plans: [plan(['x'])] },
    truncated: false,
  });
});

test('only the newest 40 words come, and of them the newest 24 KiB', () => {
  const numbered = Array.from({ length: 41 }, (_, n) => word({ content: `${n + 1}` }));
  const [all, isCut] = contents(numbered);
  expect([all.length, all[0], all[39], isCut]).toEqual([40, '40', '1', true]);
  expect(contents(numbered.slice(1))[1]).toBe(false);
  const large = ['new', 'mid', 'old'].map((name) => word({ content: name.repeat(3333) }));
  expect(contents(large)).toEqual([['mid', 'new'], true]);
  // A small older message is not kept if a newer one does not fit.
  expect(
    contents([
      word({ content: 'new' }),
      word({ content: 'x'.repeat(24_000) }),
      word({ content: 'x'.repeat(600) }),
      word(),
    ]),
  ).toEqual([['xxx', 'new'], true]);
});

test('a single word that is too long keeps its beginning', () => {
  const words = [word({ content: `begin ${'"👋'.repeat(20_000)}` }), word()];
  const { history, truncated } = JSON.parse(conversationVariable(SESSION, words, undefined) ?? '');
  expect(history).toHaveLength(1);
  expect(history[0].content).toMatch(/^begin "👋.*…$/u);
  expect(sizeOf(JSON.stringify(history))).toBeGreaterThan(MAX_HISTORY_BYTES - 10);
  expect(sizeOf(JSON.stringify(history))).toBeLessThanOrEqual(MAX_HISTORY_BYTES);
  expect(truncated).toBe(true);
});

test('of a plan with 50 values of 8 KiB the longest are cut and marked, short ones stay whole', () => {
  const values = [...Array.from({ length: 49 }, () => 'v'.repeat(8192)), 'Ann', 12];
  const text = conversationVariable(SESSION, [word()], plan(values));
  expect(sizeOf(text)).toBeLessThanOrEqual(MAX_BYTES);
  expect(sizeOf(text)).toBeGreaterThan(MAX_BYTES - 200);
  const variable = JSON.parse(text ?? '');
  const { deliverables } = variable.state.plans[0];
  expect(deliverables.slice(-2)).toEqual(plan(values).deliverables.slice(-2));
  for (const { value, truncated } of deliverables.slice(0, 49)) {
    expect([value.length > 1500, value.at(-1), truncated]).toEqual([true, '…', true]);
  }
  expect(variable.truncated).toBe(true);
});

test('whatever was said and reported, the variable has its size, and agents read it', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc
      .constantFrom('\u0001', '"', '👋', 'x')
      .chain((unit) => fc.nat(30_000).map((count) => unit.repeat(count))),
  );
  const words = fc.array(
    fc.record({ content: text, role: fc.constantFrom('user' as const, 'assistant' as const) }),
    { maxLength: 45 },
  );
  const values = fc.array(fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(words, values, fc.array(text, { maxLength: 3 }), (said, held, titles) => {
      const steps = titles.map((title, n) => ({ id: `${n}`, title, state: 'done' as const }));
      const state = { ...plan(held), steps };
      const variable = conversationVariable(SESSION, said.map(word), state);
      expect(sizeOf(variable)).toBeLessThanOrEqual(MAX_BYTES);
      const { history, plans } = readConversationVariable(variable ?? '');
      expect(history.length).toBeLessThanOrEqual(40);
      expect(history.length).toBeGreaterThanOrEqual(Math.min(1, said.length));
      expect(plans.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 30 },
  );
});

test('a plan of deliverables without end is left out as far as it does not fit', () => {
  const values = Array.from({ length: 5000 }, () => 'value');
  const variable = JSON.parse(conversationVariable(SESSION, [word()], plan(values)) ?? '');
  expect(variable.state.plans[0].deliverables.length).toBeGreaterThan(500);
  expect(sizeOf(JSON.stringify(variable))).toBeLessThanOrEqual(MAX_BYTES);
  expect(variable.truncated).toBe(true);
});
