import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnvFile } from './env-file.ts';

const variablesOf = (text: string) => Object.fromEntries(parseEnvFile(text).variables);

test('names, quotes, comments and export are read as usual readers do', () => {
  const text = [
    '\uFEFF# keys',
    'LLM_API_KEY=sk-1#2 # the key',
    'export  LLM_MODEL = "small" # quoted',
    'GREETING=\'It said "hi" # once\'',
    'EMPTY=',
    'NOTHING=# only a comment',
    'URL=http://127.0.0.1:11434/v1?a=b',
    'BACK=`both "and" \'these\'`',
    'LLM_MODEL=later',
  ].join('\r\n');
  expect(variablesOf(text)).toEqual({
    LLM_API_KEY: 'sk-1#2',
    LLM_MODEL: 'later',
    GREETING: 'It said "hi" # once',
    EMPTY: '',
    NOTHING: '',
    URL: 'http://127.0.0.1:11434/v1?a=b',
    BACK: 'both "and" \'these\'',
  });
});

test('a value in quotes may have several lines, and double quotes know escapes', () => {
  const text = 'PEM="-----BEGIN\nabc\\n\\"d\\"\\q\n-----END"\nRAW=\'a\\nb\'\nNEXT=1';
  expect(variablesOf(text)).toEqual({
    PEM: '-----BEGIN\nabc\n"d"\\q\n-----END',
    RAW: 'a\\nb',
    NEXT: '1',
  });
});

test('a line that is no variable is named, and the lines after it are read', () => {
  const { variables, faultyLines } = parseEnvFile(
    'A=1\nnonsense\n\nB="open\nC="x" y\nD="1\n2"\n1E=2\nF=3',
  );
  expect(faultyLines).toEqual([2, 4, 5, 8]);
  expect([...variables]).toEqual([
    ['A', '1'],
    ['D', '1\n2'],
    ['F', '3'],
  ]);
});

test('what is written in double quotes is read again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', '\\', '\n', '#', "'", '`', ' ', '=', 'a', '😀') }),
      (value) => {
        const quoted = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
        expect(variablesOf(`A="${quoted}"\nB=2`)).toEqual({ A: value, B: '2' });
      },
    ),
  );
});
