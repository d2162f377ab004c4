ALTER TABLE "agents" ADD COLUMN "restart_policy" text DEFAULT 'never' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "restarts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "restart_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "ends" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_restart_policy" CHECK ("agents"."restart_policy" in ('on-failure', 'never'));