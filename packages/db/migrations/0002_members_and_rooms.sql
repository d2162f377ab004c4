CREATE TABLE "deleted_rooms" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"barred_until" timestamp(3) with time zone DEFAULT now() + interval '15 min' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "removed_members" (
	"project_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"barred_until" timestamp(3) with time zone DEFAULT now() + interval '15 min' NOT NULL,
	CONSTRAINT "removed_members_pkey" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "attended_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "removed_members" ADD CONSTRAINT "removed_members_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removed_members" ADD CONSTRAINT "removed_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;