/** The panel beside a conversation, and the moment to open. Unknown values are ignored. */
interface SessionSearch {
  readonly panel?: 'agent' | 'plan' | 'recording' | 'people';
  readonly at?: string;
}

const panels = ['agent', 'plan', 'recording', 'people'] as const;

/** Returns the valid part of the address's search. */
export function sessionSearchOf({ panel, at }: Record<string, unknown>): SessionSearch {
  return { ...panelOf(panel), ...(typeof at === 'string' ? { at } : {}) };
}

function panelOf(value: unknown): Pick<SessionSearch, 'panel'> {
  const panel = panels.find((name) => name === value);
  return panel ? { panel } : {};
}
