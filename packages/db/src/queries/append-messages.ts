/**
 * The one writer of history; one statement, so one transaction. `$1` is JSON text, the messages in the order of arrival:
 * `{s session, i id, r received in ms, o role, t status, k kind, c content, m metadata, v interval}`.
 *
 * The lock on the heads (taken in id order, against deadlocks) orders the writers of a session, and gives each message
 * `at(n) = max(received, at(n-1) + 1 ms)`: whoever has read up to a timestamp has read all up to it. The parameter is text
 * because the client would encode a string a second time for a `json` parameter.
 *
 * A message with an interval is one that several recorders may have heard and only one is to store. When others have taken
 * that one for dead, and ended its interval, it is the duty of whoever heard the session then. The lock on the interval
 * lets either see what the other has done.
 */
export const APPEND = `
with given as materialized (   -- one row per id: the first complete one, else the first pending
  select distinct on (e.s, e.i) e.*
  from rows from (json_to_recordset($1::text::json)
    as (s uuid, i uuid, r bigint, o text, t text, k text, c text, m jsonb, v uuid))
    with ordinality as e (s, i, r, o, t, k, c, m, v, n)
  order by e.s, e.i, (e.t is not distinct from 'pending'), e.n
), heard as materialized (
  select v.session_id, v.id, v.recorder_id, v.end_reason from recording_intervals v
  where (v.session_id, v.id) in (select g.s, g.v from given g where g.v is not null) order by v.session_id, v.id for share
), input as materialized (
  select g.* from given g where g.v is null or not exists (
    select from heard v join recording_intervals o on o.session_id = v.session_id and o.recorder_id <> v.recorder_id
      and tstzrange(o.from_at, o.to_at, '[]') @> 'epoch'::timestamptz + g.r * interval '1 ms'
    where v.session_id = g.s and v.id = g.v and v.end_reason = 'recorder_died')
), head as materialized (
  select h.session_id, (extract(epoch from h.last_at) * 1000)::bigint as last from session_heads h
  where h.session_id = any (array(select distinct s from input)) order by h.session_id for no key update
), stamped as (
  select i.*, i.rn + greatest(h.last, max(i.r - i.rn) over (partition by i.s order by i.n)) as at
  from (select input.*, row_number() over (partition by s order by n) as rn from input) i join head h on h.session_id = i.s
), stored as (
  insert into messages as m (session_id, id, "timestamp", role, status, kind, content, metadata)
  select s, i, 'epoch'::timestamptz + at * interval '1 ms', o, t, k, c, m from stamped order by s, at
  on conflict (session_id, id) do update set completed_at = excluded."timestamp",
    status = excluded.status, content = excluded.content, metadata = excluded.metadata
    where m.status = 'pending' and excluded.status is distinct from 'pending' and m.role = excluded.role and m.kind = excluded.kind
      and m.metadata #>> '{participant,identity}' is not distinct from excluded.metadata #>> '{participant,identity}'
  returning m.session_id, coalesce(m.completed_at, m."timestamp") as at, (m.xmax = 0) as inserted
), moved as (
  update session_heads h set last_at = x.last_at, message_count = h.message_count + x.inserted
  from (select session_id, max(at) as last_at, count(*) filter (where inserted) as inserted from stored group by 1) x
  where h.session_id = x.session_id returning 1)
select (select count(*) from head)::int as sessions, (select count(*) from stored)::int as stored`;
