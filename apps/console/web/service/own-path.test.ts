import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownPath } from './own-path.ts';

test('a page of the console, its search and its hash are restored', () => {
  expect(ownPath('/sessions/0199?panel=plan&at=2026-11-22T10%3A00%3A00.000Z#end')).toBe(
    '/sessions/0199?panel=plan&at=2026-11-22T10%3A00%3A00.000Z#end',
  );
});

test.for([
  'https://example.org/',
  '//example.org/path',
  '/\\example.org',
  '/.//example.org',
  '/\t/example.org',
  'javascript:alert(1)',
  'sessions/1',
  '',
  undefined,
  7,
])('%s is not an own page, and leads to the first page', (from) => {
  expect(ownPath(from)).toBe('/');
});

test.for(['/sign-in', '/sign-up?from=%2F', '/sign-in?from=%2Fsign-in'])(
  '%s is left after signing in',
  (from) => {
    expect(ownPath(from)).toBe('/');
  },
);

test('whatever is asked for, the answer stays on the origin of the console', () => {
  const parts = fc.constantFrom('/', '\\', '.', '..', '@', ':', '?', '#', '\t', '\n', '%2f', 'a.b');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (given) => {
      const path = ownPath(`/${given.join('')}`);
      expect(new URL(path, 'https://console.example').origin).toBe('https://console.example');
    }),
    { numRuns: 2000 },
  );
});
