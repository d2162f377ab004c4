import { describe, expect, test } from 'vitest';
import type { ToolCallPart } from './completion-chunk.ts';
import { ToolCallAssembler } from './tool-call-parts.ts';

function assembled(parts: readonly ToolCallPart[]) {
  const assembler = new ToolCallAssembler();
  for (const part of parts) assembler.add(part);
  return assembler.finish().map((call) => [call.name, call.arguments]);
}

describe('tool calls are put together', () => {
  const both = [
    ['a', '{"x":1}'],
    ['b', '{"y":2}'],
  ];
  test.each<[string, ToolCallPart[]]>([
    [
      'from parts with an index (OpenAI)',
      [
        { index: 0, id: '1', name: 'a', arguments: '' },
        { index: 0, arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
        { index: 1, id: '2', name: 'b', arguments: '' },
        { index: 1, arguments: '{"y":2}' },
      ],
    ],
    [
      'from parts that come mixed',
      [
        { index: 0, id: '1', name: 'a' },
        { index: 1, id: '2', name: 'b' },
        { index: 1, arguments: '{"y":' },
        { index: 0, arguments: '{"x":' },
        { index: 1, arguments: '2}' },
        { index: 0, arguments: '1}' },
      ],
    ],
    [
      'whole in one chunk each, without an index (Ollama)',
      [
        { id: '1', name: 'a', arguments: '{"x":1}' },
        { id: '2', name: 'b', arguments: '{"y":2}' },
      ],
    ],
    [
      'whole, every call with index 0',
      [
        { index: 0, id: '1', name: 'a', arguments: '{"x":1}' },
        { index: 0, id: '2', name: 'b', arguments: '{"y":2}' },
      ],
    ],
    [
      'whole, with neither index nor id',
      [
        { name: 'a', arguments: '{"x":1}' },
        { name: 'b', arguments: '{"y":2}' },
      ],
    ],
    [
      'from parts without an index, only the first of a call with its id',
      [
        { id: '1', name: 'a' },
        { arguments: '{"x":' },
        { arguments: '1}' },
        { id: '2', name: 'b' },
        { arguments: '{"y":2}' },
      ],
    ],
    [
      'from parts without an index, each with the id of its call',
      [
        { id: '1', name: 'a', arguments: '{"x"' },
        { id: '1', arguments: ':1}' },
        { id: '2', name: 'b', arguments: '{"y"' },
        { id: '2', arguments: ':2}' },
      ],
    ],
    [
      'with empty ids',
      [
        { index: 0, id: '', name: 'a', arguments: '{"x":1}' },
        { index: 1, id: '', name: 'b', arguments: '{"y":2}' },
      ],
    ],
  ])('%s', (_, parts) => {
    expect(assembled(parts)).toEqual(both);
  });

  test('a call without a name is dropped', () => {
    expect(
      assembled([
        { index: 0, arguments: '{}' },
        { index: 1, name: ' ' },
      ]),
    ).toEqual([]);
  });

  test('every call has an id of its own, whatever the endpoint sends', () => {
    const assembler = new ToolCallAssembler();
    for (const index of [0, 1, 2, 3])
      assembler.add({ index, id: index < 2 ? 'same' : '', name: 'a' });
    const ids = assembler.finish().map(({ id }) => id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain('');
  });
});
