CREATE TABLE "erasure_acknowledgements" (
	"erasure_id" uuid NOT NULL,
	"recorder_id" uuid NOT NULL,
	"acknowledged_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erasure_acknowledgements_pkey" PRIMARY KEY("erasure_id","recorder_id")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"session_id" uuid,
	"message_ids" uuid[],
	"identity" text,
	"user_id" uuid,
	"requested_by" uuid NOT NULL,
	"requested_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"digest" text,
	"erased_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "erasures_status" CHECK ("erasures"."status" in ('running', 'waiting', 'done'))
);
--> statement-breakpoint
CREATE TABLE "message_search" (
	"session_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"seen_at" timestamp(3) with time zone NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "message_search_pkey" PRIMARY KEY("session_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "session_events" (
	"session_id" uuid NOT NULL,
	"seen_at" timestamp(3) with time zone NOT NULL,
	"project_id" uuid NOT NULL,
	"type" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "session_events_pkey" PRIMARY KEY("session_id","seen_at")
);
--> statement-breakpoint
ALTER TABLE "followers" DROP CONSTRAINT "followers_kind";--> statement-breakpoint
ALTER TABLE "followers" ALTER COLUMN "project_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "erased_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "erasure_acknowledgements" ADD CONSTRAINT "erasure_acknowledgements_erasure_id_erasures_id_fk" FOREIGN KEY ("erasure_id") REFERENCES "public"."erasures"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erasures_list" ON "erasures" USING btree ("project_id","requested_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "erasures_open" ON "erasures" USING btree ("id") WHERE "erasures"."status" <> 'done';--> statement-breakpoint
CREATE INDEX "message_search_words" ON "message_search" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "message_search_newest" ON "message_search" USING btree ("project_id","seen_at" DESC NULLS FIRST,"message_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "session_events_age" ON "session_events" USING btree ("seen_at");--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_kind" CHECK ("followers"."kind" in ('webhook', 'search'));