import { expect, test } from 'vitest';
import { ISO_TIME } from './iso-time.ts';

test.each([
  ['2026-11-21 08:00:00.123+00', '2026-11-21T08:00:00.123Z'],
  ['2026-11-21 08:00:00.1+00', '2026-11-21T08:00:00.100Z'],
  ['2026-11-21 08:00:00.02+00', '2026-11-21T08:00:00.020Z'],
  ['2026-11-21 08:00:00+00', '2026-11-21T08:00:00.000Z'],
])('%s gets the zeros back that PostgreSQL drops: %s', (text, iso) => {
  expect(ISO_TIME.parse(text)).toBe(iso);
});
