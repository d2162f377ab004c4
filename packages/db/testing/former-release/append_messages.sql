/* append_messages */ with given as materialized (
  -- One row for each id: the first complete message, else the first pending one.
  select distinct on (element.session_id, element.id) element.*
  from rows from (
    json_to_recordset($1::text::json) as (
      session_id uuid,
      id uuid,
      received_ms bigint,
      role text,
      status text,
      kind text,
      content text,
      metadata jsonb,
      interval_id uuid
    )
  ) with ordinality as element (
    session_id, id, received_ms, role, status, kind, content, metadata, interval_id, arrival
  )
  order by
    element.session_id,
    element.id,
    (element.status is not distinct from 'pending'),
    element.arrival
), own_interval as materialized (
  select own.session_id, own.id, own.recorder_id, own.end_reason
  from recording_intervals own
  where (own.session_id, own.id) in (
    select given.session_id, given.interval_id from given where given.interval_id is not null
  )
  order by own.session_id, own.id
  for share
), accepted as materialized (
  select given.*
  from given
  where given.interval_id is null
    or not exists (
      select from own_interval
      join recording_intervals other
        on other.session_id = own_interval.session_id
        and other.recorder_id <> own_interval.recorder_id
        -- The other recorder's interval contains the time of receipt.
        and tstzrange(other.from_at, other.to_at, '[]')
          @> 'epoch'::timestamptz + given.received_ms * interval '1 ms'
      where own_interval.session_id = given.session_id
        and own_interval.id = given.interval_id
        and own_interval.end_reason = 'recorder_died'
    )
), head as materialized (
  select
    locked.session_id,
    (extract(epoch from locked.last_at) * 1000)::bigint as last_ms
  from session_heads locked
  where locked.session_id = any (array(select distinct session_id from accepted))
  order by locked.session_id
  for no key update
), numbered as (
  select accepted.*, row_number() over (partition by session_id order by arrival) as number
  from accepted
), stamped as (
  -- at(n), from above, without recursion: at(n) - n is the greater of received(n) - n and at(n-1) - (n-1), and at(0) is
  -- the head's last time. So at(n) - n is a running maximum, which a window function computes.
  select
    numbered.*,
    numbered.number + greatest(
      head.last_ms,
      max(numbered.received_ms - numbered.number)
        over (partition by numbered.session_id order by numbered.arrival)
    ) as at_ms
  from numbered
  -- A deleted session has no head: its messages are dropped.
  join head on head.session_id = numbered.session_id
), stored as (
  insert into messages as former (session_id, id, "timestamp", role, status, kind, content, metadata)
  select
    session_id, id, 'epoch'::timestamptz + at_ms * interval '1 ms', role, status, kind, content, metadata
  from stamped
  order by session_id, at_ms
  -- A stored message changes only once: when its sender completes it.
  on conflict (session_id, id) do update set
    completed_at = excluded."timestamp",
    status = excluded.status,
    content = excluded.content,
    metadata = excluded.metadata
  where former.status = 'pending'
    and excluded.status is distinct from 'pending'
    and former.role = excluded.role
    and former.kind = excluded.kind
    and former.metadata #>> '{participant,identity}'
      is not distinct from excluded.metadata #>> '{participant,identity}'
  returning
    former.session_id,
    coalesce(former.completed_at, former."timestamp") as at,
    -- xmax is 0 only for a row that this statement inserted.
    (former.xmax = 0) as is_inserted
), progress as (
  select
    session_id,
    max(at) as last_at,
    count(*) filter (where is_inserted) as inserted
  from stored
  group by session_id
), moved as (
  update session_heads head set
    last_at = progress.last_at,
    message_count = head.message_count + progress.inserted
  from progress
  where head.session_id = progress.session_id
  returning 1
)
select
  (select count(*) from head)::int as sessions,
  (select count(*) from stored)::int as stored
