import { expect, test } from 'vitest';
import { fileNameOf } from './use-export.ts';

test.for([
  ['Onboarding call', 'onboarding-call.md'],
  ['../../etc/passwd', 'etc-passwd.md'],
  ['💥', 'session.md'],
  ['Gespräch mit Jürgen', 'gespräch-mit-jürgen.md'],
] as const)('the session "%s" is exported to %s', ([name, file]) => {
  expect(fileNameOf(name, 'markdown')).toBe(file);
});

test('a long name is cut', () => {
  expect(fileNameOf('word '.repeat(100), 'jsonl').length).toBeLessThan(70);
});
