import type { Database } from '../client.ts';

/** Somebody who is no member any more, and a session in whose room they must not be. */
export interface BarredMember {
  readonly projectId: string;
  readonly userId: string;
  readonly sessionId: string;
}

export interface RemovedMemberQueries {
  /** Gives who may still have a token for the room of which ACTIVE session of a project that they were removed from. */
  listBarredMembers(): Promise<BarredMember[]>;
  /** Begins the time anew in which they are barred: while they were in a room, the media server gave them a newer token. */
  extendBar(member: Pick<BarredMember, 'projectId' | 'userId'>): Promise<void>;
  /** Forgets whose tokens have all run out. */
  forgetRemovedMembers(): Promise<void>;
}

const LIST = `
select r.project_id as "projectId", r.user_id as "userId", s.id as "sessionId"
from removed_members r join sessions s on s.project_id = r.project_id
where s.status = 'ACTIVE' and s.deleted_at is null order by s.id`;

const EXTEND = `update removed_members set barred_until = default where project_id = $1 and user_id = $2`;

const FORGET = `delete from removed_members where barred_until <= now()`;

/** Gives the statements on `removed_members`; they are prepared at their first use on each connection. */
export function prepareRemovedMemberQueries({ sql }: Pick<Database, 'sql'>): RemovedMemberQueries {
  const prepare = true;
  return {
    async listBarredMembers() {
      return [...(await sql.unsafe<BarredMember[]>(LIST, [], { prepare }))];
    },
    async extendBar({ projectId, userId }) {
      await sql.unsafe(EXTEND, [projectId, userId], { prepare });
    },
    async forgetRemovedMembers() {
      await sql.unsafe(FORGET, [], { prepare });
    },
  };
}
