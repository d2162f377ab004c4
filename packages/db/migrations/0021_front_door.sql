CREATE TABLE "audit_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"actor" uuid,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "invitations_secret" UNIQUE("secret_hash"),
	CONSTRAINT "invitations_project_email" UNIQUE("project_id","email"),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('OWNER', 'ADMIN', 'MEMBER')),
	CONSTRAINT "invitations_email_lower" CHECK ("invitations"."email" = lower("invitations"."email"))
);
--> statement-breakpoint
CREATE TABLE "password_links" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "password_links_secret" UNIQUE("secret_hash")
);
--> statement-breakpoint
ALTER TABLE "plan_templates" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "session_end_users" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "session_end_users" ADD COLUMN "session_created_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "session_end_users" ADD COLUMN "first_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "provider_identity" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_links" ADD CONSTRAINT "password_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_list" ON "audit_events" USING btree ("project_id","at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "audit_events_age" ON "audit_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "invitations_expiry" ON "invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "password_links_expiry" ON "password_links" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_provider_identity" UNIQUE("provider_identity");--> statement-breakpoint
UPDATE "session_end_users" SET "project_id" = "sessions"."project_id", "session_created_at" = "sessions"."created_at"
FROM "sessions" WHERE "sessions"."id" = "session_end_users"."session_id";--> statement-breakpoint
CREATE INDEX "session_end_users_list" ON "session_end_users" USING btree ("project_id","user_id","session_created_at" DESC NULLS FIRST,"session_id" DESC NULLS FIRST);
