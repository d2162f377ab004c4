CREATE TABLE "agent_secrets" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"nonce" "bytea" NOT NULL,
	"ciphertext" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "recorders" ADD COLUMN "room_limit" integer;--> statement-breakpoint
ALTER TABLE "recorders" ADD COLUMN "clock_offset_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "recorders" ADD COLUMN "webhook_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "recording_intervals" ADD COLUMN "unsure_from" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "agent_secrets" ADD CONSTRAINT "agent_secrets_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_project_active" ON "sessions" USING btree ("project_id") WHERE "sessions"."status" = 'ACTIVE' and "sessions"."deleted_at" is null;