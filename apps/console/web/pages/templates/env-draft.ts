import type { EnvTemplate, EnvTemplateChange } from '@session/contract';
import { nameFault } from './variable-names.ts';

/** A variable in the form of a template. */
export interface VariableRow {
  /** Unique in the form. */
  readonly key: number;
  readonly name: string;
  /** Null: the stored value stays. */
  readonly value: string | null;
  /** Whether the template has this variable: its name stays, and its value cannot be read. */
  readonly isStored: boolean;
  /** Whether saving deletes the stored variable. */
  readonly isRemoved: boolean;
}

/** An environment template as a user edits it. */
export interface EnvDraft {
  readonly name: string;
  readonly isDefault: boolean;
  readonly rows: readonly VariableRow[];
}

/** Returns the form of a template, or of a new one that has the variables `required`. */
export function envDraftOf(
  template: Pick<EnvTemplate, 'name' | 'isDefault' | 'keys'> | null,
  required: readonly string[],
): EnvDraft {
  const isStored = template !== null;
  const names = template?.keys ?? required;
  return {
    name: template?.name ?? '',
    isDefault: template?.isDefault ?? false,
    rows: names.map((name, key) => {
      return { key, name, value: isStored ? null : '', isStored, isRemoved: false };
    }),
  };
}

/** Returns the form with an empty row for one more variable. */
export function withRow(draft: EnvDraft, name = '', value = ''): EnvDraft {
  const key = Math.max(-1, ...draft.rows.map((row) => row.key)) + 1;
  const row = { key, name, value, isStored: false, isRemoved: false };
  return { ...draft, rows: [...draft.rows, row] };
}

/** Returns the form with one row changed. */
export function withChange(
  draft: EnvDraft,
  key: number,
  change: Partial<Pick<VariableRow, 'name' | 'value' | 'isRemoved'>>,
): EnvDraft {
  const rows = draft.rows.map((row) => (row.key === key ? { ...row, ...change } : row));
  return { ...draft, rows };
}

/** Returns the form without a row. A stored variable stays in the list, marked as one that saving deletes. */
export function withoutRow(draft: EnvDraft, key: number): EnvDraft {
  const row = draft.rows.find((candidate) => candidate.key === key);
  if (row?.isStored) return withChange(draft, key, { isRemoved: true, value: null });
  return { ...draft, rows: draft.rows.filter((candidate) => candidate.key !== key) };
}

/** Returns the form with pasted variables: into the rows of their names, into new rows otherwise. */
export function withPasted(draft: EnvDraft, variables: ReadonlyMap<string, string>): EnvDraft {
  let pasted = draft;
  for (const [name, value] of variables) {
    const row = pasted.rows.find((candidate) => candidate.name === name);
    pasted = row
      ? withChange(pasted, row.key, { value, isRemoved: false })
      : withRow(pasted, name, value);
  }
  // The row in which the text was pasted was empty.
  return { ...pasted, rows: pasted.rows.filter((row) => !isBlank(row) || row.isStored) };
}

/** Returns why a row cannot be saved, as a sentence; null when it can. A row without name and value is left out. */
export function rowFault(row: VariableRow, rows: readonly VariableRow[]): string | null {
  if (row.isStored || isBlank(row)) return null;
  if (rows.some((other) => other !== row && other.name === row.name)) {
    return 'This name is here already.';
  }
  return nameFault(row.name);
}

/** Returns the variables of a new template. */
export function newVariables({ rows }: EnvDraft): Record<string, string> {
  const named = rows.filter((row) => !isBlank(row));
  return Object.fromEntries(named.map(({ name, value }) => [name, value ?? '']));
}

/** Returns what changes the stored template into the form; null when nothing changes. */
export function changeOf(
  draft: EnvDraft,
  stored: Pick<EnvTemplate, 'name' | 'isDefault'>,
): EnvTemplateChange | null {
  const changed = draft.rows.flatMap((row): [string, string | null][] => {
    if (row.isRemoved) return [[row.name, null]];
    return row.value === null || isBlank(row) ? [] : [[row.name, row.value]];
  });
  const change = {
    ...(draft.name.trim() !== stored.name && { name: draft.name.trim() }),
    ...(draft.isDefault !== stored.isDefault && { isDefault: draft.isDefault }),
    ...(changed.length > 0 && { variables: Object.fromEntries(changed) }),
  };
  return Object.keys(change).length > 0 ? change : null;
}

function isBlank({ name, value, isStored }: VariableRow): boolean {
  return !isStored && name === '' && !value;
}
