DROP INDEX "recording_assignments_recorder";--> statement-breakpoint
DROP INDEX "recording_assignments_free_shuffled";--> statement-breakpoint
ALTER TABLE "recorders" ADD COLUMN "slots_ranked_at" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "recording_assignments_recorder" ON "recording_assignments" USING btree ("recorder_id","last_message_at" DESC NULLS LAST) WHERE "recording_assignments"."recorder_id" is not null;--> statement-breakpoint
CREATE INDEX "recording_assignments_free_shuffled" ON "recording_assignments" USING btree ("slot",uuid_hash_extended("session_id", 0)) WHERE "recording_assignments"."recorder_id" is null and "recording_assignments"."slot" >= 0;