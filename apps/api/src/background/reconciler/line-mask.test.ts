import type { LogLine } from '@session/agents';
import { createMask, MASK, MASK_ALL, maskSpans } from '@session/kit/mask';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineMask } from './line-mask.ts';

const key = 'sk-hunter2-of-the-tests';

test('a value is masked wherever its line is cut, and in each piece of the line', async () => {
  for (let cut = 0; cut <= key.length; cut += 1) {
    const lines = [
      { at: 1, line: `key ${key.slice(0, cut)}`, isCut: true },
      { at: 2, line: `${key.slice(cut)} end` },
    ];
    expect(await shownOf(lines)).toBe('key  end');
    // The first piece goes on before the last one has come.
    const long = `${key.slice(cut)} ${'x'.repeat(40)}`;
    const pieces = [lines[0], { at: 2, line: long, isCut: true }, { at: 3, line: ' end' }];
    expect(await shownOf(pieces.flatMap((piece) => piece ?? []))).toBe(
      `key  ${'x'.repeat(40)} end`,
    );
  }
});

test('a value with lines that are too short to be secrets is masked over all its lines', async () => {
  const lines = linesOf(['PIN', 'ab', 'cd', 'ef', 'end']);
  expect(await maskLines(['ab\ncd\nef'], lines)).toEqual(linesOf(['PIN', MASK, MASK, MASK, 'end']));
  const others = linesOf(['ab', 'cd', 'end', 'ab']);
  expect(await maskLines(['ab\r\ncd\r\nef'], others)).toEqual(others);
});

test('a value is found although the program prints on its other stream meanwhile, and all lines keep their order', async () => {
  const lines: LogLine[] = [
    { at: 1, line: 'key sk-hun', isCut: true, stream: 'stdout' },
    { at: 2, line: 'a warning', stream: 'stderr' },
    { at: 3, line: 'ter2-of-the-tests', stream: 'stdout' },
  ];
  expect(await maskLines([key], lines)).toEqual([
    { at: 1, line: `key ${MASK}` },
    { at: 2, line: 'a warning' },
    { at: 3, line: MASK },
  ]);
});

test('a line waits only for what can still change it', async () => {
  const mask = new LineMask(await createMask([key, 'ab\ncd']));
  expect(mask.push(linesOf(['whole', 'sk-hun'])).map(({ line }) => line)).toEqual([
    'whole',
    'sk-hun',
  ]);
  expect(mask.push(linesOf(['ab']))).toEqual([]);
  expect(mask.push(linesOf(['cde'])).map(({ line }) => line)).toEqual([MASK, `${MASK}e`]);
  expect(mask.push([{ at: 9, line: 'x'.repeat(100), isCut: true }])).toEqual([]);
  const [first, ...others] = mask.push([{ at: 10, line: 'y'.repeat(100), isCut: true }]);
  expect([first?.at, others]).toEqual([9, []]);
  expect(mask.end()).toEqual([{ at: 10, line: 'y'.repeat(100) }]);
});

test('of a key with many lines, no ordinary line waits for the next one', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index}`.padStart(64, 'k'));
  for (const value of [lines.join('\n'), `\n\n${lines.join('\n')}\n`, '\nabcd\n\nefgh']) {
    const mask = new LineMask(await createMask([value]));
    const shown = mask.push(linesOf(['ready', '', ...value.split('\n'), 'end', '']));
    expect(shown.map(({ line }) => line).filter((line) => line !== MASK && line !== '')).toEqual([
      'ready',
      'end',
    ]);
    expect(mask.end()).toEqual([]);
  }
});

test('a line that is never finished does not keep the other stream for ever', async () => {
  const mask = new LineMask(await createMask([key]));
  mask.push([{ at: 1, line: 'waits', isCut: true, stream: 'stdout' }]);
  const others = Array.from({ length: 1000 }, (_, index) => ({
    at: index + 2,
    line: 'x',
    stream: 'stderr' as const,
  }));
  expect(mask.push(others)).toHaveLength(1001);
});

test('nothing is shown of an output whose secrets are unknown', () => {
  const mask = new LineMask(MASK_ALL);
  expect(mask.push(linesOf(['a', '', 'b c']))).toEqual(linesOf([MASK, '', MASK]));
});

test('the same is shown however lines are cut into pieces and batches', async () => {
  const values = ['aaab', 'ab'.repeat(30), 'b\na\nb', 'c'.repeat(33)];
  const mask = await createMask(values);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 300 });
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 50 })),
      fc.nat(4),
      (whole, sizes, batch) => {
        const lines = new LineMask(mask);
        const pieces = piecesOf(`${whole}\n`, sizes);
        const shown: LogLine[] = [];
        for (let begin = 0; begin < pieces.length; begin += batch + 1) {
          shown.push(...lines.push(pieces.slice(begin, begin + batch + 1)));
        }
        shown.push(...lines.end());
        expect(shown.map(({ at }) => at)).toEqual(pieces.map(({ at }) => at));
        const expected = maskSpans(`${whole}\n`, mask.spansIn(`${whole}\n`));
        expect(withoutMasks(shown.map(({ line }) => line).join(''))).toBe(withoutMasks(expected));
      },
    ),
  );
});

/** Returns what is left of lines with `key`, without the masks. */
async function shownOf(lines: readonly LogLine[]): Promise<string> {
  const masked = await maskLines([key], lines);
  return withoutMasks(masked.map(({ line }) => line).join(''));
}

function withoutMasks(text: string): string {
  return text.replaceAll(MASK, '').replaceAll('\n', '');
}

async function maskLines(values: readonly string[], lines: readonly LogLine[]): Promise<LogLine[]> {
  const mask = new LineMask(await createMask(values));
  return [...lines.flatMap((line) => mask.push([line])), ...mask.end()];
}

function linesOf(texts: readonly string[]): LogLine[] {
  return texts.map((line, index) => ({ at: index + 1, line }));
}

/** Cuts `text` into lines, and its lines into pieces of these sizes. */
function piecesOf(text: string, sizes: readonly number[]): LogLine[] {
  const pieces: LogLine[] = [];
  const left = [...sizes];
  for (const whole of text.split('\n').slice(0, -1)) {
    let rest = whole;
    for (let size = left[0]; size !== undefined && size < rest.length; size = left[0]) {
      pieces.push({ at: pieces.length + 1, line: rest.slice(0, size), isCut: true });
      rest = rest.slice(size);
      left.shift();
    }
    pieces.push({ at: pieces.length + 1, line: rest });
  }
  return pieces;
}
