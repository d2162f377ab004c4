ALTER TABLE "projects" ADD COLUMN "retention_days" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "history_from" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "projects_retention" ON "projects" USING btree ("id") WHERE "projects"."retention_days" is not null;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_retention_days" CHECK ("projects"."retention_days" > 0);