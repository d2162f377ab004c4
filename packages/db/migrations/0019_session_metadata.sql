ALTER TABLE "sessions" ADD COLUMN "metadata" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "external_id" text;--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_external_id" ON "sessions" USING btree ("project_id","external_id") WHERE "sessions"."external_id" is not null and "sessions"."deleted_at" is null;