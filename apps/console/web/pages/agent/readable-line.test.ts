import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableLine } from './readable-line.ts';

test.for([
  ['is in room 0199', 'is in room 0199'],
  [
    '{"turn":{"outcome":"answered","firstTextMs":412,"tokens":{"prompt":80,"answer":9}}}',
    'turn outcome=answered firstTextMs=412 tokens.prompt=80 tokens.answer=9',
  ],
  ['{"firstSoundMs":903}', 'firstSoundMs=903'],
  [
    '{"level":"warn","time":1795359580,"msg":"The model is slow","model":"gpt 5","tries":null}',
    'The model is slow level=warn model="gpt 5" tries=null',
  ],
  ['{"event":7,"tags":["a","b"],"empty":{}}', 'event=7 tags=["a","b"] empty={}'],
  ['{"broken":', '{"broken":'],
  ['[1,2]', '[1,2]'],
  ['{}', '{}'],
] as const)('the line %s reads %s', ([line, text]) => {
  expect(readableLine(line)).toBe(text);
});

test('colours of a terminal are left out, and other control characters are seen', () => {
  expect(readableLine('\u001B[31;1mfailed\u001B[0m\u001B]0;title\u0007\u0000\r')).toBe('failed␀␍');
  expect(readableLine('{"msg":"\\u001b[31mred\\u001b[0m \\u0007"}')).toBe('red ␇');
});

test('no line is lost or fails, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.json({ maxDepth: 2 })), (line) => {
      const text = readableLine(line);
      const isPlain = !line.includes('{') && !line.includes('\u001B');
      expect(text.length === line.length || !isPlain).toBe(true);
      expect(text).not.toContain('\u001B');
    }),
  );
});
