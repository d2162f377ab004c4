import type { EnvTemplate, PlanTemplate } from '@session/contract';
import type { PlanDraft } from './plan-draft.ts';

/** Null stands for a new template. */
export type Edited =
  | { readonly kind: 'agent'; readonly id: string | null }
  | { readonly kind: 'environment'; readonly template: EnvTemplate | null }
  | { readonly kind: 'plan'; readonly plan: PlanTemplate | null; readonly draft: PlanDraft };
