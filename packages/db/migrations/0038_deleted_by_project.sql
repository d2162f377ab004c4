DROP INDEX "sessions_deleted";--> statement-breakpoint
CREATE INDEX "sessions_project_deleted" ON "sessions" USING btree ("project_id","deleted_at","id") WHERE "sessions"."deleted_at" is not null;