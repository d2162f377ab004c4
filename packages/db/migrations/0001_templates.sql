CREATE TABLE "env_templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"keys" text[] NOT NULL,
	"key_id" text NOT NULL,
	"nonce" "bytea" NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "env_templates_project_name" UNIQUE("project_id","name")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"object_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("scope","key")
);
--> statement-breakpoint
CREATE TABLE "plan_templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"steps" jsonb NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plan_templates_steps" CHECK (jsonb_array_length("plan_templates"."steps") between 1 and 50)
);
--> statement-breakpoint
ALTER TABLE "env_templates" ADD CONSTRAINT "env_templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_templates" ADD CONSTRAINT "plan_templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "env_templates_default" ON "env_templates" USING btree ("project_id") WHERE "env_templates"."is_default";--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "plan_templates_project" ON "plan_templates" USING btree ("project_id");--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_plan_id_plan_templates_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plan_templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_env_template_id_env_templates_id_fk" FOREIGN KEY ("env_template_id") REFERENCES "public"."env_templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agents_plan" ON "agents" USING btree ("plan_id") WHERE "agents"."plan_id" is not null;--> statement-breakpoint
CREATE INDEX "agents_env" ON "agents" USING btree ("env_template_id") WHERE "agents"."env_template_id" is not null;