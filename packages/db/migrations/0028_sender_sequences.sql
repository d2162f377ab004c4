CREATE TABLE "sender_sequences" (
	"session_id" uuid NOT NULL,
	"sender" text NOT NULL,
	"q" text NOT NULL,
	"identity" text,
	"heard" "int4multirange" NOT NULL,
	"declared" "int4multirange" DEFAULT '{}' NOT NULL,
	"asking" "int4multirange" DEFAULT '{}' NOT NULL,
	"asks" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp(3) with time zone,
	"last_at" timestamp(3) with time zone,
	"missing_from" timestamp(3) with time zone,
	"is_trusted" boolean DEFAULT true NOT NULL,
	CONSTRAINT "sender_sequences_pkey" PRIMARY KEY("session_id","sender","q")
);
--> statement-breakpoint
ALTER TABLE "followers" DROP CONSTRAINT "followers_kind";--> statement-breakpoint
ALTER TABLE "sender_sequences" ADD CONSTRAINT "sender_sequences_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sender_sequences_next" ON "sender_sequences" USING btree ("next_at") WHERE "sender_sequences"."next_at" is not null;--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_kind" CHECK ("followers"."kind" in ('webhook', 'search', 'sequence'));
--> statement-breakpoint
-- Only messages of today's senders have numbers, so the follower begins now. Processes of a former release may claim sessions for every
-- follower that does not rest, so this one rests for them for ever.
INSERT INTO "followers" ("id", "kind", "project_id", "starts_at", "retry_at")
VALUES ('5ea2c400-0000-4000-8000-000000000002', 'sequence', NULL, now(), 'infinity')
ON CONFLICT DO NOTHING;
