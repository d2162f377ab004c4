import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../../testing/history-writer.ts';
import { lineOf, linesIn } from './spool-line.ts';

const sessionId = uuidv7();

test('wherever a file is cut, exactly the whole lines before the cut are read, with their sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }),
      fc.nat(),
      (texts, at) => {
        const lines = texts.map((text) => lineOf(textMessage(sessionId, text)));
        const file = Buffer.from(lines.map(({ text }) => `${text}\n`).join(''));
        expect(lines.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(file.length);
        const cut = at % (file.length + 1);
        let end = 0;
        const whole = lines.filter(({ sizeBytes }) => {
          end += sizeBytes;
          return end <= cut;
        });
        expect(linesIn(file.subarray(0, cut))).toEqual(whole);
      },
    ),
  );
});

test('a line that makes no sense is read with its text and its size, so that the next is found', () => {
  const good = lineOf(textMessage(sessionId, 'good'));
  const lines = linesIn(Buffer.from(`{"half\n\n${good.text}\n`));
  expect(lines).toEqual([
    { queued: undefined, text: '{"half', sizeBytes: 7 },
    { queued: undefined, text: '', sizeBytes: 1 },
    good,
  ]);
});
