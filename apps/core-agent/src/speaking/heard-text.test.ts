import { array, assert, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { HeardText } from './heard-text.ts';

test('words are taken whole, once, in order, and at the end of its sound a sentence was heard whole', () => {
  const text = new HeardText();
  text.begin('One two three four. ', 0);
  expect(text.take(0)).toBe('');
  expect(text.take(400)).toBe('One ');
  text.finish(1000);
  text.begin('Five six.', 1000);
  expect(text.take(900)).toBe('two three ');
  expect(text.take(1000)).toBe('four. ');
  expect(text.take(1010)).toBe('');
  expect(text.takeAll()).toBe('Five six.');
});

test('a sound that takes longer than expected is not heard before its last sample', () => {
  const text = new HeardText();
  text.begin('Hm well.', 0);
  expect(text.take(60_000)).toBe('Hm ');
  text.finish(90_000);
  expect(text.take(90_000)).toBe('well.');
});

test.each([
  ['これは最初の長い文でございます。', 'これは最初の長い'],
  ['请稍等，我马上查一下您的订单。', '请稍等，我马上'],
  ['กรุณารอสักครู่นะคะ', 'กรุณารอสั'],
  ['これはsmartphoneです。', 'これは'],
  ['𠀀𠀀𠀀𠀀𠀀', '𠀀𠀀'],
])('of a script without spaces, words are heard to any character: %s', (written, heard) => {
  const text = new HeardText();
  text.begin(written, 0);
  text.finish(1600);
  expect(text.take(800)).toBe(heard);
  expect(text.takeAll()).toBe(written.slice(heard.length));
});

test('whatever the times, nothing is lost, repeated or reordered', () => {
  const sentence = property(
    array(string({ maxLength: 30 }), { maxLength: 6 }),
    array(integer({ min: 0, max: 2000 }), { maxLength: 8 }),
    (sentences, times) => {
      const text = new HeardText();
      let [words, ms] = ['', 0];
      const sorted = times.toSorted((one, other) => one - other);
      for (const [index, written] of sentences.entries()) {
        text.begin(written, ms);
        for (const time of sorted) if (time <= ms) words += text.take(time);
        ms += 100 * index;
        text.finish(ms);
      }
      expect((words + text.takeAll()).length).toBe(sentences.join('').length);
      expect(words === '' || sentences.join('').startsWith(words)).toBe(true);
    },
  );
  assert(sentence);
});
