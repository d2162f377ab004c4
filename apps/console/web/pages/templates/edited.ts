import type { EnvTemplate, PlanTemplate } from '@session/contract';
import type { PlanDraft } from './plan-draft.ts';

/** What the page of templates edits. Null stands for a new one. */
export type Edited =
  | { readonly kind: 'agent'; readonly id: string | null }
  | { readonly kind: 'environment'; readonly template: EnvTemplate | null }
  | { readonly kind: 'plan'; readonly plan: PlanTemplate | null; readonly draft: PlanDraft };
