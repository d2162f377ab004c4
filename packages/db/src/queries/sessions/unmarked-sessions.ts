import { statement } from '../../statement/statement.ts';

export interface MarkingPlace {
  readonly status: 'ACTIVE' | 'CLOSED';
  readonly createdAt: string;
  readonly id: string;
}

export interface UnmarkedSessions {
  readonly ids: string[];
  readonly next: MarkingPlace | undefined;
}

interface FoundRow extends MarkingPlace {
  readonly isUnmarked: boolean;
  readonly continues: boolean;
}

const FIRST_PLACE: MarkingPlace = {
  status: 'ACTIVE',
  createdAt: 'infinity',
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/**
 * The most sessions that one call reads. A project may have millions that are marked already. Limits are written as `(select
 * n)`, for the reason at the head of session-search.ts.
 */
const MOST_READ = 2000;

function readText(condition: string, limit: string): string {
  return `
  select session.id, session.status, session.created_at, session.deleted_at
  from projects project
  join sessions session on session.project_id = project.id
  where project.id = $1
    and project.deleted_at is not null
    and ${condition}
  order by session.created_at desc, session.id desc
  limit ${limit}`;
}

/**
 * Returns up to `limit` sessions of a marked project that are not marked themselves: the ACTIVE ones first, as somebody may
 * still join their rooms. Reads up to 2,000 sessions, so it may return `next` without any ids.
 */
export const listUnmarkedSessions = statement(
  'list_unmarked_sessions',
  (projectId: string, limit: number, { status, createdAt, id }: MarkingPlace = FIRST_PLACE) => [
    projectId,
    limit,
    status,
    createdAt,
    id,
  ],
  (rows: FoundRow[]): UnmarkedSessions => {
    const last = rows.at(-1);
    return {
      ids: rows.filter(({ isUnmarked }) => isUnmarked).map(({ id }) => id),
      next: last?.continues
        ? { status: last.status, createdAt: last.createdAt, id: last.id }
        : undefined,
    };
  },
)`
with behind as materialized (${readText(
  'session.status = $3 and (session.created_at, session.id) < ($4::timestamptz, $5::uuid)',
  `(select ${MOST_READ})`,
)}
), closed as materialized (${readText(
  `session.status = 'CLOSED' and $3 = 'ACTIVE'`,
  `(select ${MOST_READ} - count(*) from behind)`,
)}
), numbered as (
  select
    session.*,
    row_number() over place as number,
    count(*) filter (where session.deleted_at is null) over place as unmarked
  from (select * from behind union all select * from closed) session
  window place as (order by session.status, session.created_at desc, session.id desc)
)
select
  id,
  status,
  created_at as "createdAt",
  deleted_at is null as "isUnmarked",
  number = ${MOST_READ} or unmarked = $2 as continues
from numbered
where unmarked <= $2
  and (deleted_at is null or number = ${MOST_READ})
order by number`;
