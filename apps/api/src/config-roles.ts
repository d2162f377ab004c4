import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type AgentRole, CATALOGUE, findAgentRole } from '@session/agents';
import { EXTERNAL_ROLE, isReservedVariable } from '@session/contract';
import { hasCode, StartError } from '@session/kit';
import * as z from 'zod';

const NAME = 'up to 40 small letters and inner hyphens are needed, and no digits';
const CPU = 'an amount of CPU is needed: 250m or 1';
const MEMORY = 'an amount of memory is needed: 256Mi or 1Gi';

const Path = z
  .string()
  .refine((value) => path.isAbsolute(value), { error: 'an absolute path is needed' });
const Cpu = z.string().regex(/^[1-9]\d*m?$/, CPU);
const Memory = z.string().regex(/^[1-9]\d*[MG]i$/, MEMORY);

const Variable = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'capital letters, digits and underscores are needed')
    .refine((name) => !isReservedVariable(name), {
      error: 'choose another name: the service sets this variable itself',
    }),
  required: z.boolean().default(false),
  secret: z.boolean().default(true),
  description: z.string().max(1000).default(''),
  default: z.string().nullable().default(null),
});

const Role = z.strictObject({
  name: z.string().regex(/^[a-z](?:[a-z-]{0,38}[a-z])?$/, NAME),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(1000),
  conversation: z.enum(['none', 'text', 'voice']),
  restart: z.enum(['on-failure', 'never']).default('on-failure'),
  resources: z
    .strictObject({ cpu: z.tuple([Cpu, Cpu]), memory: z.tuple([Memory, Memory]) })
    .default({ cpu: ['50m', '500m'], memory: ['128Mi', '512Mi'] }),
  run: z.strictObject({
    image: z.string().min(1).optional(),
    node: Path.optional(),
    reads: z.array(Path).default([]),
  }),
  variables: z.array(Variable).default([]),
});

const File = z.strictObject({ roles: z.array(z.unknown()).max(100) });

/**
 * Returns the roles of the catalogue and of the file. Throws a StartError with a line for each fault. With the launcher
 * `process`, the files of programs must exist.
 */
export function readRoles(file: string | undefined, launcher: string): readonly AgentRole[] {
  if (!file) return CATALOGUE;
  const roles = [...CATALOGUE];
  const faults: string[] = [];
  for (const [index, given] of rolesIn(file).entries()) {
    const parsed = Role.safeParse(given);
    const name = z.object({ name: z.string() }).safeParse(given).data?.name ?? index + 1;
    const rules = parsed.data
      ? faultsOf(parsed.data, roles, launcher)
      : (parsed.error?.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`) ?? []);
    faults.push(...rules.map((rule) => `AGENT_ROLES: ${file}: role ${name}: ${rule}`));
    if (parsed.data) roles.push(roleOf(parsed.data));
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return roles;
}

function rolesIn(file: string): readonly unknown[] {
  try {
    return File.parse(JSON.parse(readFileSync(file, 'utf8'))).roles;
  } catch (cause) {
    const detail = hasCode(cause, 'ENOENT')
      ? 'there is no such file: correct the path, or leave AGENT_ROLES out'
      : 'this file cannot be read as a list of at most 100 roles: it must contain {"roles": [{"name": "booking-agent", …}]} and no other field';
    throw new StartError(`AGENT_ROLES: ${file}: ${detail}`, { cause });
  }
}

type GivenRole = z.output<typeof Role>;

function faultsOf(
  { name, run, variables }: GivenRole,
  roles: readonly AgentRole[],
  launcher: string,
): string[] {
  const { image, node, reads } = run;
  const names = variables.map((variable) => variable.name);
  const missing =
    launcher === 'process' ? [...(node ? [node] : []), ...reads].filter(isMissing) : [];
  const isTaken = name === EXTERNAL_ROLE || findAgentRole(name, roles) !== undefined;
  return [
    ...(isTaken ? ['name: choose another name, because another role has this one'] : []),
    ...(image || node ? [] : ['run: an image or a program for Node is needed']),
    ...(reads.length > 0 && !node
      ? ['run.reads: leave it out, or name a program for Node in run.node']
      : []),
    ...missing.map((one) => `run: ${one} does not exist: correct the path`),
    ...(new Set(names).size < names.length ? ['variables: each name may be used only once'] : []),
  ];
}

function isMissing(file: string): boolean {
  return !existsSync(file);
}

function roleOf({ run: { image = '', node, reads }, ...role }: GivenRole): AgentRole {
  return { ...role, program: role.name, image, run: { node, reads } };
}
