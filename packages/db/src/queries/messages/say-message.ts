import { hasRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';

/** Locks the head first, as a deletion does. While the session is locked, nobody closes it. */
export const LOCK_HEAD_OF_ACTIVE_SESSION = statement(
  'lock_head_of_active_session',
  (sessionId: string) => [sessionId],
  hasRows,
)`
select
from session_heads head
join sessions session on session.id = head.session_id
where head.session_id = $1
  and session.status = 'ACTIVE'
for no key update of head
for share of session`;

/** Runs `work` in a transaction during which the session stays ACTIVE. Returns undefined when it is CLOSED or deleted. */
export async function whileActive<Result>(
  database: DatabaseAccess,
  sessionId: string,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result | undefined> {
  return await inTransaction(database, async (transaction) => {
    const locked = await LOCK_HEAD_OF_ACTIVE_SESSION(transaction, sessionId);
    return locked ? await work(transaction) : undefined;
  });
}
