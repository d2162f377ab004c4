import type { MutatedFile } from '../mutant.ts';

const followers = 'packages/db/src/queries/followers';
const tests = [`${followers}/webhook-notices.test.ts`];

export const dbFollowers: readonly MutatedFile[] = [
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
