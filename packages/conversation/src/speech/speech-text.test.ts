import { array, assert, constantFrom, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { SpeechText } from './speech-text.ts';

test.for([
  ['See [our page](https://example.org/a?b=c "Title"), please.', 'See our page, please.'],
  ['It is at https://www.example.org/a/b?c=d#e.', 'It is at example.org.'],
  ['Look (https://example.org/x) or www.example.org!', 'Look (example.org) or example.org!'],
  ['[Rust](https://en.wikipedia.org/wiki/Rust_(language)) is fun', 'Rust is fun'],
  ['[https://example.org/deep/path](https://example.org/deep/path)', 'example.org'],
  ['A [note][1] and a mark[^2].\n\n[1]: https://example.org\n', 'A note and a mark.\n\n'],
  ['<https://example.org/a> or <mailto:ann@example.org>', 'example.org or ann@example.org'],
  ['![A cat](cat.png) sleeps', 'A cat sleeps'],
  ['- [x] Bread\n- [ ] Milk', '-  Bread.\n-  Milk.'],
  ['one<br>two <b>three</b> 1 < 2 <3', 'one two three 1 < 2 <3'],
  ['Run this:\n```sh\nrm -rf / # no\n```\nThen wait.', 'Run this:\nThen wait.'],
  ['~~~~\n```\ncode\n~~~~\nText', 'Text'],
  ['An answer that was cut:\n```js\nconst a =', 'An answer that was cut:\n'],
  ['| Day | Time |\n|:---|---:|\n| [Monday](http://a.b/c) | 9 |\n', 'Day, Time.\nMonday, 9.\n'],
  ['|x| is never negative', '|x| is never negative'],
  ['# Choose\n1. Monday\n2. Tuesday?\nor not', '# Choose.\n1. Monday.\n2. Tuesday?\nor not'],
  ['* * *\n', '* * *\n'],
  ['2 \\* 3, array[0] and 9:00 – [open', '2  3, array0 and 9:00 – open'],
  ['`npm start` at **https://example.org/x** 👋🏽', '`npm start` at **example.org** 👋🏽'],
] as const)('%j is spoken as %j', ([written, spoken]) => {
  expect(whole(written)).toBe(spoken);
});

test('what is spoken does not depend on how the text was cut into parts', () => {
  const marks =
    '[ ]( ) ! < > ` ``` | |---| 1. http \\ :// www. example.org /a word . ~~~ 👋 [^1] <br> *';
  const mark = constantFrom(...marks.split(' '), ' ', '- ', '# ', '[a]: ', '\n');
  const written = array(mark, { maxLength: 25 }).map((parts) => parts.join(''));
  assert(
    property(written, array(nat({ max: 9 }), { minLength: 1 }), (text, lengths) => {
      const speech = new SpeechText();
      let spoken = '';
      let offset = 0;
      for (let index = 0; offset < text.length; index += 1) {
        const length = 1 + (lengths[index % lengths.length] ?? 0);
        spoken += speech.push(text.slice(offset, offset + length));
        offset += length;
      }
      expect(spoken + speech.end()).toBe(whole(text));
    }),
    { numRuns: 2000 },
  );
});

test('plain sentences are spoken as they are written, and each word as soon as the next one begins', () => {
  const speech = new SpeechText();
  expect(speech.push('Good morn')).toBe('Good ');
  expect(speech.push('ing, Ann. How')).toBe('morning, Ann. ');
  expect(speech.end()).toBe('How');
});

function whole(text: string): string {
  const speech = new SpeechText();
  return speech.push(text) + speech.end();
}
