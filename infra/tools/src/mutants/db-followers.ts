import type { MutatedFile } from '../mutant.ts';

const followers = 'packages/db/src/queries/followers';
const tests = [`${followers}/webhook-notices.test.ts`];

export const dbFollowers: readonly MutatedFile[] = [
  {
    file: `${followers}/last-numbers.ts`,
    changes: [
      ["interval '3 s'", "interval '30 s'"],
      [
        'where given.n - coalesce(upper(former.heard), upper(unnamed.heard), 1) < ',
        'where given.n - 1 < 0 * ',
      ],
      [
        'case when stored.next_at is null then stored.last_at else stored.missing_from end',
        'stored.missing_from',
      ],
      [' and stored.announced < excluded.announced', ''],
      ['} then excluded.next_at', '} or true then excluded.next_at'],
      ['} then greatest(stored.last_at', '} or true then greatest(stored.last_at'],
      ['where stored.is_trusted and', 'where'],
      ['max(n)::int as n', 'min(n)::int as n'],
      ['where is_known or nth', 'where nth'],
      ['nth + (', '1 + ('],
    ],
  },
  {
    file: `${followers}/sequence-folds.ts`,
    tests: [`${followers}/last-numbers.test.ts`],
    changes: [
      [' and not is_partial and not is_nameless', ' and not is_nameless'],
      [' - int4multirange(int4range(1, ', ' * int4multirange(int4range(1, '],
    ],
  },
  {
    file: `${followers}/webhook-attempts.ts`,
    tests,
    changes: [[" and $6 <> 'webhook.dead'", '']],
  },
  {
    file: `${followers}/webhook-notices.ts`,
    changes: [
      ["told.seen_at - interval '1 ms'", 'follower.starts_at'],
      [' and follower.id <> told.session_id', ''],
      ['and not exists (select from followers other', 'and exists (select from followers other'],
    ],
  },
  {
    file: `${followers}/followed-versions.ts`,
    changes: [['case when deleted_at is null then metadata end', 'metadata']],
  },
  {
    file: `${followers}/follower-claims.ts`,
    tests,
    changes: [['or wanted <= $4::timestamptz', 'or true']],
  },
];
