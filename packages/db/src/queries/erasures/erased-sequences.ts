import { senderOf } from '@session/contract/room';
import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { SENDER_CHARACTERS } from '../followers/sequence-folds.ts';

/**
 * Removes the sender from the sequences of a participant. All their numbers count as heard, even if the participant
 * sends more messages: none are requested, reported or counted as missing.
 */
export const eraseSequences = statement(
  'erase_sequences',
  ({ sessionId, identity }: { sessionId: string; identity: string }) => [
    sessionId,
    senderOf(identity),
  ],
  nothing,
)`
with forgotten as (
  delete from sender_sequences
  where session_id = $1 and sender = left($2, ${SENDER_CHARACTERS}) and sender <> ''
  returning
    session_id,
    q,
    int4multirange(int4range(1, greatest(upper(heard), upper(partial), announced + 1))) as numbers
)
insert into sender_sequences as unnamed (session_id, sender, q, heard)
select session_id, '', q, numbers from forgotten
on conflict (session_id, sender, q) do update set heard = unnamed.heard + excluded.heard`;
