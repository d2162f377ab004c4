ALTER TABLE "projects" ADD COLUMN "search_language" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "reindex_before" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "projects_reindex" ON "projects" USING btree ("id") WHERE "projects"."reindex_before" is not null;