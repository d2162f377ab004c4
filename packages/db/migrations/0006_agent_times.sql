ALTER TABLE "agents" ADD COLUMN "scheduled_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "program_started_at" timestamp(3) with time zone;