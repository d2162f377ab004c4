export interface AuditFilters {
  readonly action?: string;
  readonly actor?: string;
}

export function auditFiltersOf(search: Readonly<Record<string, unknown>>): AuditFilters {
  const { action, actor } = search;
  return {
    ...(typeof action === 'string' && action !== '' && { action }),
    ...(typeof actor === 'string' && actor !== '' && { actor }),
  };
}
