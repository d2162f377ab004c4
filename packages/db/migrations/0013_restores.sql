CREATE TABLE "restores" (
	"floor_at" timestamp(3) with time zone PRIMARY KEY NOT NULL,
	"restored_to" timestamp(3) with time zone
);
