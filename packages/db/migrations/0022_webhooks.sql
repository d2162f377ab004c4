CREATE TABLE "follower_positions" (
	"follower_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"position" timestamp(3) with time zone NOT NULL,
	"wanted" timestamp(3) with time zone NOT NULL,
	"claim" bigint DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp(3) with time zone,
	"failure" text,
	"dead_at" timestamp(3) with time zone,
	"next_attempt_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "follower_positions_pkey" PRIMARY KEY("follower_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "followers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"project_id" uuid NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp(3) with time zone,
	"retry_at" timestamp(3) with time zone,
	CONSTRAINT "followers_kind" CHECK ("followers"."kind" in ('webhook')),
	CONSTRAINT "followers_status" CHECK ("followers"."status" in ('active', 'disabled', 'deleted'))
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"webhook_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"seen_at" timestamp(3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"attempts" integer NOT NULL,
	"status_code" integer,
	"duration_ms" integer NOT NULL,
	"failure" text,
	"response" text NOT NULL,
	"first_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY("webhook_id","session_id","seen_at")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text[] NOT NULL,
	"content" text DEFAULT 'full' NOT NULL,
	"key_id" text NOT NULL,
	"nonce" "bytea" NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"previous_until" timestamp(3) with time zone,
	"created_by" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_content" CHECK ("webhooks"."content" in ('full', 'none'))
);
--> statement-breakpoint
ALTER TABLE "follower_positions" ADD CONSTRAINT "follower_positions_follower_id_followers_id_fk" FOREIGN KEY ("follower_id") REFERENCES "public"."followers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_followers_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."followers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_id_followers_id_fk" FOREIGN KEY ("id") REFERENCES "public"."followers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "follower_positions_due" ON "follower_positions" USING btree ("follower_id","next_attempt_at") WHERE "follower_positions"."wanted" > "follower_positions"."position" and "follower_positions"."dead_at" is null;--> statement-breakpoint
CREATE INDEX "follower_positions_dead" ON "follower_positions" USING btree ("follower_id","session_id") WHERE "follower_positions"."dead_at" is not null;--> statement-breakpoint
CREATE INDEX "followers_project" ON "followers" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries" USING btree ("webhook_id","last_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "webhooks_key" ON "webhooks" USING btree ("key_id");--> statement-breakpoint
-- A position is updated at every message: updates stay in the page, and dead rows are cleaned up often.
ALTER TABLE "follower_positions" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
ALTER TABLE "followers" SET (fillfactor = 70);
