import { createRequire } from 'node:module';
import type * as core from 'drizzle-orm';
import type * as pg from 'drizzle-orm/pg-core';
import type * as driver from 'drizzle-orm/postgres-js';
import type * as migrator from 'drizzle-orm/postgres-js/migrator';

// Drizzle's ES modules import each other in cycles. Linking them costs 230 MB and 0.4 s, more than half of what a
// process of ours would take; the CommonJS build costs 30 MB and 0.1 s. Everything of Drizzle therefore comes from this
// file, and a process loads it only when it has something to migrate.
//
// Drizzle describes the schema and applies the migrations. Statements are SQL text:
// docs/decisions/0002-statements-as-text.md.
const load = createRequire(import.meta.url);
const loadedCore: typeof core = load('drizzle-orm');
const loadedPg: typeof pg = load('drizzle-orm/pg-core');
const loadedDriver: typeof driver = load('drizzle-orm/postgres-js');
const loadedMigrator: typeof migrator = load('drizzle-orm/postgres-js/migrator');

export const { sql } = loadedCore;
export const {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = loadedPg;
export const { drizzle } = loadedDriver;
export const { migrate: applyMigrations } = loadedMigrator;
