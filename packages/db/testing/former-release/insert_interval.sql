/* insert_interval */ insert into recording_intervals (session_id, id, recorder_id, from_at)
select session.id, $2::uuid, $3::uuid, $4::timestamptz
from (select id from sessions where id = $1 for no key update) session
on conflict do nothing
