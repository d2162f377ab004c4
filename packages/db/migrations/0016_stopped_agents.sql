ALTER TABLE "agents" ADD COLUMN "barred_until" timestamp(3) with time zone;--> statement-breakpoint
-- Tokens were valid for 24 hours.
UPDATE "agents" SET "barred_until" = now() + interval '25 hours'
WHERE "status" <> 'Stopped' OR "stopped_at" > now() - interval '25 hours';--> statement-breakpoint
CREATE INDEX "agents_barred" ON "agents" USING btree ("barred_until") WHERE "agents"."barred_until" is not null;