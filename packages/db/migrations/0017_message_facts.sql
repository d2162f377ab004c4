CREATE VIEW "public"."message_facts" AS (
  select session_id, kind, role, status, "timestamp",
    case when kind = 'recording_gap' then metadata ->> 'from' end as gap_from,
    case when kind = 'recording_gap' then metadata ->> 'to' end as gap_to,
    case when kind = 'recording_gap' then metadata ->> 'reason' end as gap_reason
  from messages);