DROP INDEX "agents_session_newest";--> statement-breakpoint
DROP INDEX "agents_live";--> statement-breakpoint
DROP INDEX "sessions_project_newest";--> statement-breakpoint
CREATE INDEX "agents_session" ON "agents" USING btree ("session_id","id");--> statement-breakpoint
CREATE INDEX "sessions_project_newest" ON "sessions" USING btree ("project_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);