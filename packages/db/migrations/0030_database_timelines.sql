CREATE TABLE "database_timelines" (
	"system_identifier" bigint NOT NULL,
	"timeline" integer NOT NULL,
	"noted_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "database_timelines_pkey" PRIMARY KEY("system_identifier","timeline")
);
