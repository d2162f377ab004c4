import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VisibleText } from './visible-text.ts';

/** Returns what is shown of `text`, which comes in parts of these lengths. */
function shown(text: string, lengths: readonly number[] = [text.length]) {
  const visible = new VisibleText();
  let result = '';
  let from = 0;
  for (let index = 0; from < text.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    result += visible.push(text.slice(from, from + length));
    from += length;
  }
  result += visible.finish();
  return { text: result, calls: visible.calls };
}

const CALL = '{"name": "complete_step", "arguments": {"step": "name"}}';
const ARGUMENTS = [{ name: 'complete_step', arguments: '{"step":"name"}' }];

describe('text is shown as it is', () => {
  test.each([
    'Good morning.',
    'two\nlines\n\nand a gap\n',
    '  indented',
    '[a link](https://example.org)',
    '{"name": "John"}',
    '{"a": [1, 2, {"b": "}"}]} and more',
    '```json\n{"colour": "red"}\n```\nThat is it.',
    '```python\nprint({"a": 1})\n```',
    'Here: {"name": "complete_step", "arguments": {}}',
    '{ not json',
    '[1, 2, 3]',
    '5 < 6 and a <thin line',
    'a <thinker> b',
    '\n\n',
    '`',
    '<tool',
    '{"colour": "red',
  ])('%j', (text) => {
    expect(shown(text)).toEqual({ text, calls: [] });
    expect(shown(text, [1])).toEqual({ text, calls: [] });
  });
});

describe('thoughts are not shown', () => {
  test.each([
    ['<think>secret</think>Hello', 'Hello'],
    ['<think>secret\nplan</think>\n\nHello', '\n\nHello'],
    ['<THINKING>secret</THINKING>Hello', 'Hello'],
    ['Hello <think>secret</think>there', 'Hello there'],
    ['<think>a</think><think>secret</think>Hello', 'Hello'],
    ['Hello<think>secret', 'Hello'],
    ['</think>Hello', 'Hello'],
    [`<think>${CALL}</think>Hello`, 'Hello'],
  ])('%j', (text, expected) => {
    expect(shown(text)).toEqual({ text: expected, calls: [] });
    expect(shown(text, [1])).toEqual({ text: expected, calls: [] });
  });
});

describe('a tool call in the text is a tool call, and not shown', () => {
  test.each([
    [CALL, ''],
    [`  \n${CALL}\n`, ''],
    [`\`\`\`json\n${CALL}\n\`\`\``, ''],
    [`\`\`\`\n${CALL}\n\`\`\`\nDone.`, '\nDone.'],
    [`<tool_call>\n${CALL}\n</tool_call>`, ''],
    [`<|python_tag|>${CALL}`, ''],
    [`[TOOL_CALLS][${CALL}]`, ''],
    [`[TOOL_CALLS] [${CALL}]`, ''],
    [`[${CALL}]`, ''],
    [`Noted.\n${CALL}`, 'Noted.\n'],
    [`<think>hm</think>\n${CALL}`, ''],
    [`{"tool_calls": [{"type": "function", "function": ${CALL}}]}`, ''],
    [`{"type": "function", "function": ${CALL}}`, ''],
    ['{"name":"complete_step","parameters":{"step":"name"}}', ''],
    ['{"tool":"complete_step","args":{"step":"name"}}', ''],
    ['{"tool_name":"complete_step","input":{"step":"name"}}', ''],
    ['{"function":"complete_step","arguments":"{\\"step\\":\\"name\\"}"}', ''],
  ])('%j', (text, expected) => {
    expect(shown(text)).toEqual({ text: expected, calls: ARGUMENTS });
    expect(shown(text, [1])).toEqual({ text: expected, calls: ARGUMENTS });
  });

  test('several in one answer are all called', () => {
    const { text, calls } = shown(`${CALL}\n${CALL}${CALL}`);
    expect({ text, count: calls.length }).toEqual({ text: '', count: 3 });
  });

  test('with brackets and quotes in its values', () => {
    const args = { deliverable: 'customer', value: 'a "}" ] \\ {' };
    const json = JSON.stringify({ name: 'set_deliverable', arguments: args });
    expect(shown(json, [2]).calls).toEqual([
      { name: 'set_deliverable', arguments: JSON.stringify(args) },
    ]);
  });

  test.each([
    '{"name": "complete_step", "argum',
    '<tool_call>{"name": "complete_step"',
    '[{"name":"x"',
  ])('that never ended is dropped: %j', (text) => {
    expect(shown(text, [3])).toEqual({ text: '', calls: [] });
  });
});

test('how a text is cut into parts changes nothing', () => {
  const piece = fc.constantFrom(
    CALL,
    '<think>',
    '</think>',
    '```',
    '```json',
    '<tool_call>',
    '</tool_call>',
    '[TOOL_CALLS]',
    '{"a":1}',
    '{',
    '[',
    '"',
    '\n',
    ' ',
    'word',
    '👋',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
      (pieces, lengths) => {
        const text = pieces.join('');
        expect(shown(text, lengths)).toEqual(shown(text));
      },
    ),
    { numRuns: 500 },
  );
});

test('text is shown as it comes, and only a line that may be a tool call waits', () => {
  const visible = new VisibleText();
  const parts = ['Good', ' mor', 'ning.', '\n', '{"a"', ': 1}', ' ok'];
  expect(parts.map((part) => visible.push(part))).toEqual([
    'Good',
    ' mor',
    'ning.',
    '\n',
    '',
    '{"a": 1}',
    ' ok',
  ]);
});

test('JSON of thousands of levels is shown, whatever it begins like', () => {
  const deep = `[{"name":"a","arguments":{}},${'['.repeat(3000)}${']'.repeat(3001)}`;
  expect(shown(deep)).toEqual({ text: deep, calls: [] });
  const call = `{"name":"a","arguments":{"a":${'['.repeat(8000)}${']'.repeat(8000)}}}`;
  expect(shown(call)).toEqual({ text: call, calls: [] });
});

test('JSON without an end is shown when it is too long for a tool call', () => {
  const text = `{"story": "${'x'.repeat(70_000)}`;
  expect(shown(text, [10_000]).text).toBe(text);
});
