-- The search index follows all projects, from the beginning. Processes of the former release claim sessions for every follower
-- that does not rest, so this one rests for them for ever; the workers of the index do not look at it.
INSERT INTO "followers" ("id", "kind", "project_id", "starts_at", "retry_at")
VALUES ('5ea2c400-0000-4000-8000-000000000001', 'search', NULL, 'epoch', 'infinity')
ON CONFLICT DO NOTHING;
