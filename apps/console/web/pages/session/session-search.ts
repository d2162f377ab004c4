const PANELS = ['agent', 'plan', 'recording', 'people'] as const;
export type PanelName = (typeof PANELS)[number];

interface SessionSearch {
  readonly panel?: PanelName;
  readonly at?: string;
}

export function sessionSearchOf({ panel, at }: Record<string, unknown>): SessionSearch {
  return { ...panelOf(panel), ...(typeof at === 'string' ? { at } : {}) };
}

function panelOf(value: unknown): Pick<SessionSearch, 'panel'> {
  const panel = PANELS.find((name) => name === value);
  return panel ? { panel } : {};
}
