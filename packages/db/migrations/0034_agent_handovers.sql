ALTER TABLE "agents" ADD COLUMN "handover_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "predecessor_id" uuid;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_handover" ON "agents" USING btree ("session_id","handover_id") WHERE "agents"."handover_id" is not null;