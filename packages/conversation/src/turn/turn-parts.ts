import type { Model } from '../model/model.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { Persona } from '../settings/settings.ts';
import type { CallBudget } from './call-budget.ts';
import type { ModelHealth } from './health.ts';
import type { ModelSession } from './model-session.ts';
import type { OwnTools } from './own-tools.ts';
import type { SetPhrases } from './set-phrases.ts';
import type { ToolCaller } from './tool-caller.ts';

/** What all turns of one conversation share. `clock` returns monotonic milliseconds, `at` ISO 8601 in UTC. */
export interface TurnParts {
  readonly persona: Persona;
  readonly phrases: SetPhrases;
  readonly model: Model;
  readonly turnMs: number;
  readonly session: ModelSession;
  readonly machine: PlanMachine | undefined;
  readonly tools: ToolCaller | undefined;
  readonly ownTools: OwnTools;
  readonly health: ModelHealth;
  readonly budget: CallBudget;
  readonly now: () => Date;
  readonly at: () => string;
  readonly clock: () => number;
}
