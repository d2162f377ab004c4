import type { BenchProject } from '../agents/bench-project.ts';
import type { TimedModel } from './timed-model.ts';

/** What the parts of the bench use. */
export interface ConversationTestbed {
  readonly api: BenchProject;
  readonly model: TimedModel;
  /** The roles whose program is installed. */
  readonly roles: readonly string[];
  /** The id of an environment template that leads to the model. */
  readonly envTemplateId: string;
}
