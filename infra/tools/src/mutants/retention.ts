import type { MutatedFile } from '../mutant.ts';

const queries = 'packages/db/src/queries';
const housekeeping = 'apps/api/src/background/housekeeping';

export const retention: readonly MutatedFile[] = [
  {
    file: `${queries}/messages/reset-position.ts`,
    tests: [`${queries}/sessions/retention.test.ts`],
    changes: [
      ['::timestamptz > session.created_at and', '::timestamptz is not null and'],
      ['::timestamptz < session.history_from', '::timestamptz <= session.history_from'],
      [`'infinity'\n    )`, `'infinity'\n    ) is not null`],
    ],
  },
  {
    file: `${queries}/sessions/retention.ts`,
    changes: [
      ['when session.deleted_at is not null then null', ''],
      [
        "when session.status = 'CLOSED' then case when session.closed_at",
        "when session.status = 'CLOSED' then case when session.created_at",
      ],
      ['and completed.completed_at <= head.until', 'and false'],
      ['select min(followed.position)', 'select max(followed.position)'],
      ['and stored."timestamp" > head.history_from', ''],
      ['and stored.completed_at is null', ''],
      ['head.message_count - counted.count', 'head.message_count'],
      ["and session.status = 'ACTIVE'", ''],
      ['order by visible.seen_at', 'order by visible.seen_at desc'],
      ['and indexed.message_id = deleted.id', 'and false'],
    ],
  },
  {
    file: `${housekeeping}/retention.ts`,
    changes: [
      ['if (now() < this.#restsUntil) return [];', ''],
      ["if (still?.id !== id || still.expired !== 'session') return false;", ''],
      ['failures.push(', 'throw ('],
      ['isLeft = deleted === batchSize', 'isLeft = false'],
    ],
  },
];
