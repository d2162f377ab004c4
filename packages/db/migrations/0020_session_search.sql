-- The terms by which a session is found: its words, in lower case, and its metadata. Each begins with the project's, so that the
-- sessions of other projects do not count. The words are split as `wordsOf` of the statements splits those that are sought.
CREATE FUNCTION session_terms(project uuid, name text, metadata jsonb) RETURNS tsvector IMMUTABLE PARALLEL SAFE LANGUAGE sql
BEGIN ATOMIC
  SELECT array_to_tsvector(array(
    SELECT left(md5(project::text), 12) || 'w' || left(word, 100)
    FROM regexp_split_to_table(lower(name COLLATE "pg_c_utf8"), '[^[:alnum:]]+' COLLATE "pg_c_utf8") word
    WHERE word <> ''
    UNION ALL
    SELECT left(md5(project::text), 12) || 'm' || md5(key || '=' || value) FROM jsonb_each_text(metadata)
  ));
END;--> statement-breakpoint
CREATE INDEX "sessions_project_status" ON "sessions" USING btree ("project_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "sessions_terms" ON "sessions" USING gin (session_terms("project_id", "name", "metadata")) WITH (fastupdate=false);