import type { TimelineItem } from '@session/client';
import { expect, test } from 'vitest';
import { foldVisits, shows } from './fold-visits.ts';
import { foldToolCalls, toolCallOf, toolStateText } from './tool-calls.ts';

const light = { identity: 'agent-light-agent-6b7c8d9e', name: 'Light', sid: null, kind: 'agent' };

function report(payload: unknown, given: Partial<TimelineItem> = {}): TimelineItem {
  return {
    key: 'message-1',
    id: '1',
    role: 'system',
    kind: 'tool_call',
    content: 'book: done in 0.2 s',
    participant: light,
    metadata: { payload },
    timestamp: '2026-01-01T10:00:00.000Z',
    deliveredTo: null,
    state: 'complete',
    ...given,
  };
}

const begun = { call: 'c1', tool: 'book', state: 'started', arguments: { day: 1 } };
const done = {
  call: 'c1',
  tool: 'book',
  state: 'done',
  durationMs: 212,
  status: 200,
  result: 'ok',
};

const rowsOf = (...reports: readonly TimelineItem[]) =>
  foldToolCalls(foldVisits(reports.map((item, at) => ({ ...item, key: `message-${at}` }))));

test('a call that has only started is a row, and becomes one with its end', () => {
  expect(rowsOf(report(begun)).map(({ key }) => key)).toEqual(['message-0']);
  const [said, row, ...more] = rowsOf(
    report(begun),
    report(null, { kind: 'text', role: 'assistant' }),
    report(done),
  );
  expect([said?.key, row?.key, more]).toEqual(['message-1', 'message-2', []]);
  expect(row && ['message-0', 'message-2'].map((key) => shows(row, key))).toEqual([true, true]);
  expect(row && toolCallOf(row.item, row.started)).toEqual({
    tool: 'book',
    state: 'done',
    durationMs: 212,
    status: 200,
    arguments: '{\n  "day": 1\n}',
    result: 'ok',
    isCut: false,
  });
});

test('calls of the same name of two agents, and of one agent later, stay apart', () => {
  const other = { participant: { ...light, identity: 'agent-light-agent-00000000' } };
  const rows = rowsOf(
    report(begun),
    report(begun, other),
    report(done, other),
    report(done),
    report(done),
    report(begun),
  );
  expect(rows.map(({ key, started }) => [key, started?.key])).toEqual([
    ['message-2', 'message-1'],
    ['message-3', 'message-0'],
    ['message-4', undefined],
    ['message-5', undefined],
  ]);
});

test('an end keeps its key when the page with its start is read', () => {
  const older = rowsOf(report(begun), report(done)).map(({ key }) => key);
  const newer = foldToolCalls(foldVisits([report(done, { key: 'message-1' })]));
  expect(newer.map(({ key }) => key)).toEqual(older);
});

test.each<[string, unknown, string]>([
  ['JSON with its indentation', '{"rooms":[1]}', '{\n  "rooms": [\n    1\n  ]\n}'],
  [
    'a number that a page would round as it is',
    '{"id":12345678901234567890}',
    '{"id":12345678901234567890}',
  ],
  ['a text as it is', '42 <b>rooms', '42 <b>rooms'],
  ['half of a JSON text as it is', '{"rooms":[1', '{"rooms":[1'],
  ['anything else as JSON', [true], '[\n  true\n]'],
])('a result shows %s', (_, result, shown) => {
  expect(toolCallOf(report({ ...done, result }))?.result).toBe(shown);
});

test('a call without arguments and result says that nothing of them is known', () => {
  const call = toolCallOf(report({ tool: 'pay', state: 'timeout' }));
  expect(call).toMatchObject({ arguments: undefined, result: undefined, durationMs: null });
  expect(call && toolStateText(call)).toBe('Timed out');
});

test('an unknown state is shown by its name, and a report without a tool is an event like any other', () => {
  const call = toolCallOf(report({ ...done, state: 'paused' }));
  expect(call && toolStateText(call)).toBe('paused');
  expect(toolCallOf(report({ state: 'done' }))).toBeUndefined();
  expect(toolCallOf(report(null))).toBeUndefined();
  expect(toolCallOf(report(done, { kind: 'state_change_notification' }))).toBeUndefined();
});
