import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ServerEvent, serverEvents } from './server-events.ts';

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

const read = async (...pieces: string[]): Promise<ServerEvent[]> =>
  (await Array.fromAsync(serverEvents(inPieces(pieces)))).flat();

const event = (part: Partial<ServerEvent>): ServerEvent => ({
  name: 'message',
  data: '',
  id: undefined,
  retryMs: undefined,
  ...part,
});

test.each<[string, string, ServerEvent[]]>([
  ['a line of data', 'data: a\n\n', [event({ data: 'a' })]],
  ['data without the blank, and with two', 'data:a\ndata:  b\n\n', [event({ data: 'a\n b' })]],
  ['data with colons', 'data: {"a":"b: c"}\n\n', [event({ data: '{"a":"b: c"}' })]],
  ['a name', 'event: gap\ndata: 1\n\n', [event({ name: 'gap', data: '1' })]],
  ['an empty name', 'event:\ndata: 1\n\n', [event({ data: '1' })]],
  ['a field without a colon', 'data\n\n', [event({})]],
  [
    'an id that stays',
    'id: 7\ndata: a\n\ndata: b\n\n',
    [event({ id: '7', data: 'a' }), event({ id: '7', data: 'b' })],
  ],
  ['an id alone, for the next event', 'id: 7\n\ndata: b\n\n', [event({ id: '7', data: 'b' })]],
  ['when to come again', 'retry: 1000\n\n', [event({ retryMs: 1000 })]],
  ['a time that is none', 'retry: soon\n\n', []],
  ['comments and unknown fields', ': hello\nfoo: bar\n\n:\n\n', []],
  ['CR LF, CR and LF', 'data: a\r\ndata: b\rdata: c\n\r\n', [event({ data: 'a\nb\nc' })]],
  ['an event that is cut off', 'data: a\n\ndata: b\n', [event({ data: 'a' })]],
  ['CR at the very end', 'data: a\r\r', [event({ data: 'a' })]],
])('%s', async (_, text, expected) => {
  expect(await read(text)).toEqual(expected);
});

test('however a stream comes in pieces, its events are the same', async () => {
  const field = fc.constantFrom(
    'data: a',
    'data:',
    'id: 1',
    'event: gap',
    'retry: 5',
    ':',
    '',
    'x\u2028y',
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const lines = fc.array(fc.tuple(field, end).map((parts) => parts.join('')));
  const property = fc.asyncProperty(lines, fc.array(fc.nat(60)), async (all, cuts) => {
    const text = all.join('');
    const places = [...new Set(cuts.map((place) => place % (text.length + 1)))].toSorted(
      (a, b) => a - b,
    );
    const pieces = [0, ...places].map((place, index) =>
      text.slice(place, places[index] ?? text.length),
    );
    expect(pieces.join('')).toBe(text);
    expect(await read(...pieces)).toEqual(await read(text));
  });
  await fc.assert(property, { numRuns: 1000 });
});

test('events that arrive together are read together, and a comment completes none', async () => {
  const pieces = inPieces(['data: a\n\ndata: b\n\n', ':\n\nda', 'ta: c\n\n']);
  const arrived = await Array.fromAsync(serverEvents(pieces));
  expect(arrived.map((events) => events.map(({ data }) => data))).toEqual([['a', 'b'], [], ['c']]);
});
