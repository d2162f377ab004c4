import { expect, test } from 'vitest';
import { matching } from './destinations.ts';

const names = (...given: string[]) => given.map((name) => ({ name }));

test('without a text everything is found, in order', () => {
  const all = names('Templates', 'Members');
  expect(matching(all, '  ')).toEqual(all);
});

test('names that begin with the text stand first', () => {
  expect(matching(names('A refund', 'Refund 4471'), 'refund')).toEqual(
    names('Refund 4471', 'A refund'),
  );
});

test('every word has to be in the name, whatever the order, the case and the accents', () => {
  expect(matching(names('Réunion du lundi', 'Lundi'), 'LUNDI reunion')).toEqual(
    names('Réunion du lundi'),
  );
});

test('a text with the signs of a pattern is text', () => {
  expect(matching(names('a.b', 'axb', '(('), 'a.b')).toEqual(names('a.b'));
  expect(matching(names('(('), '(')).toEqual(names('(('));
});
