import type { EnvTemplate, EnvTemplateChange } from '@session/contract';
import { withChanged, withNew, without } from './keyed-rows.ts';

export interface VariableRow {
  readonly key: number;
  readonly name: string;
  /** Null keeps the stored value. */
  readonly value: string | null;
  /** Whether the template has this variable already. If so, its name is fixed, and its value cannot be read. */
  readonly isStored: boolean;
  readonly isRemoved: boolean;
  readonly hosts: string;
}

export interface EnvDraft {
  readonly name: string;
  readonly isDefault: boolean;
  readonly rows: readonly VariableRow[];
}

export function envDraftOf(
  template: Pick<EnvTemplate, 'name' | 'isDefault' | 'keys' | 'hosts'> | null,
  required: readonly string[],
): EnvDraft {
  const isStored = template !== null;
  const names = template?.keys ?? required;
  return {
    name: template?.name ?? '',
    isDefault: template?.isDefault ?? false,
    rows: names.map((name, key) => {
      const hosts = hostsText(template, name);
      return { key, name, value: isStored ? null : '', isStored, isRemoved: false, hosts };
    }),
  };
}

export function withRow(draft: EnvDraft, name = '', value = ''): EnvDraft {
  const row = { name, value, isStored: false, isRemoved: false, hosts: '' };
  return { ...draft, rows: withNew<Omit<VariableRow, 'key'>>(draft.rows, row) };
}

export type RowChange = Partial<Pick<VariableRow, 'name' | 'value' | 'isRemoved' | 'hosts'>>;

export function withChange(draft: EnvDraft, key: number, change: RowChange): EnvDraft {
  return { ...draft, rows: withChanged(draft.rows, key, change) };
}

export function withoutRow(draft: EnvDraft, key: number): EnvDraft {
  const row = draft.rows.find((candidate) => candidate.key === key);
  if (row?.isStored) return withChange(draft, key, { isRemoved: true, value: null });
  return { ...draft, rows: without(draft.rows, key) };
}

export function withPasted(draft: EnvDraft, variables: ReadonlyMap<string, string>): EnvDraft {
  let pasted = draft;
  for (const [name, value] of variables) {
    const row = pasted.rows.find((candidate) => candidate.name === name);
    pasted = row
      ? withChange(pasted, row.key, { value, isRemoved: false })
      : withRow(pasted, name, value);
  }
  // Removes the empty row into which the text was pasted.
  return { ...pasted, rows: pasted.rows.filter((row) => !isBlank(row) || row.isStored) };
}

/** Returns a sentence about why a row cannot be saved; null when it can. A row without name and value is left out. */
export function rowFault(row: VariableRow, rows: readonly VariableRow[]): string | null {
  if (row.isStored || isBlank(row)) return null;
  if (rows.some((other) => other !== row && other.name === row.name)) {
    return 'This name is here already.';
  }
  return nameFault(row.name);
}

export function newVariables({ rows }: EnvDraft): Record<string, string> {
  const named = rows.filter((row) => !isBlank(row));
  return Object.fromEntries(named.map(({ name, value }) => [name, value ?? '']));
}

export function newHosts({ rows }: EnvDraft): Record<string, string[]> {
  const named = rows.filter((row) => !isBlank(row) && hostsOf(row).length > 0);
  return Object.fromEntries(named.map((row) => [row.name, hostsOf(row)]));
}

export function changeOf(
  draft: EnvDraft,
  stored: Pick<EnvTemplate, 'name' | 'isDefault' | 'hosts'>,
): EnvTemplateChange | null {
  const changed = draft.rows.flatMap((row): [string, string | null][] => {
    if (row.isRemoved) return [[row.name, null]];
    return row.value === null || isBlank(row) ? [] : [[row.name, row.value]];
  });
  const hosts = draft.rows.flatMap((row): [string, string[] | null][] => {
    const named = hostsOf(row);
    if (row.isRemoved || isBlank(row) || named.join(' ') === hostsText(stored, row.name)) return [];
    return [[row.name, named.length > 0 ? named : null]];
  });
  const change = {
    ...(draft.name.trim() !== stored.name && { name: draft.name.trim() }),
    ...(draft.isDefault !== stored.isDefault && { isDefault: draft.isDefault }),
    ...(changed.length > 0 && { variables: Object.fromEntries(changed) }),
    ...(hosts.length > 0 && { hosts: Object.fromEntries(hosts) }),
  };
  return Object.keys(change).length > 0 ? change : null;
}

function hostsText(stored: Pick<EnvTemplate, 'hosts'> | null, name: string): string {
  return stored?.hosts[name]?.join(' ') ?? '';
}

function hostsOf({ hosts }: VariableRow): string[] {
  return hosts.split(/[\s,]+/).filter((host) => host !== '');
}

function isBlank({ name, value, isStored }: VariableRow): boolean {
  return !isStored && name === '' && !value;
}

const NAME_RULE =
  'A name has 1 to 64 characters of A-Z, 0-9 and _, and does not begin with a digit.';
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

// The API's rule, so that a name is refused while it is typed. A test compares it with the OpenAPI document.
const PREFIXES =
  'MEDIA_|AGENT_|KUBERNETES_|NODE_|OPENSSL_|SSL|LD_|DYLD_|GLIBC_|MALLOC_|UV_|RUST_|OTEL_';
const NAMES =
  'SESSION_ID|PROJECT_ID|PLAN|CONVERSATION|PATH|HOME|TMPDIR|GCONV_PATH|RES_OPTIONS|HOSTALIASES';
export const RESERVED_PATTERN = `(?:(?:${PREFIXES}).*|.*_PROXY|${NAMES})`;
const RESERVED = new RegExp(`^${RESERVED_PATTERN}$`, 'is');

const RESERVED_NAMES = [
  ...PREFIXES.split('|').map((prefix) => `${prefix}*`),
  '*_PROXY',
  ...NAMES.split('|'),
].join(', ');

export function nameFault(name: string): string | null {
  if (RESERVED.test(name)) return `This name is reserved, as are ${RESERVED_NAMES}.`;
  return NAME.test(name) ? null : NAME_RULE;
}
