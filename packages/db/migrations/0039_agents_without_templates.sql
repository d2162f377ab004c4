ALTER TABLE "agents" DROP CONSTRAINT "agents_plan_id_plan_templates_id_fk";
--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_env_template_id_env_templates_id_fk";
--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_agent_template_id_agent_templates_id_fk";
--> statement-breakpoint
DROP INDEX "agents_plan";--> statement-breakpoint
DROP INDEX "agents_env";