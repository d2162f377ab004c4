import type { PlanDraft } from './plan-draft.ts';

/** A null `id` stands for a new template. */
export type Edited =
  | { readonly kind: 'agent' | 'environment'; readonly id: string | null }
  | { readonly kind: 'plan'; readonly id: string | null; readonly imported?: PlanDraft };
