import { expect } from 'vitest';
import { test } from '../../testing/project-test.ts';
import { isDue } from './due-times.ts';

test('a time of just now is due, although it may be rounded up, and one of two milliseconds ahead is not', async ({
  project,
}) => {
  for (let count = 0; count < 20; count += 1) {
    const rows = await project.sql.unsafe(`
      select ${isDue('now_stored')} as is_now, ${isDue('ahead')} as is_ahead
      from (select now()::timestamptz(3) as next_attempt_at) now_stored,
        (select (now() + interval '2 ms')::timestamptz(3) as next_attempt_at) ahead`);
    expect(rows).toEqual([{ is_now: true, is_ahead: false }]);
  }
});
