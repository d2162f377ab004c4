import { type CallOptions, changing, path } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type {
  EnvTemplate,
  EnvTemplateChangeBody,
  PlanTemplate,
  PlanTemplateChangeBody,
} from '../shapes.ts';

export interface TemplateChangeOptions extends CallOptions {
  /** Changes the template only if it still has this version. Throws `changed_meanwhile` otherwise. */
  readonly version?: number | undefined;
}

export function templateChangesOf(transport: Transport) {
  return {
    /** Changes a template. A variable that is not named stays; null removes a variable. */
    changeEnvTemplate: (id: string, body: EnvTemplateChangeBody, options?: TemplateChangeOptions) =>
      transport.json<EnvTemplate>(changingVersion(path`/env-templates/${id}`, body, options)),
    /** Changes a plan. New steps replace all old ones. */
    changePlanTemplate: (
      id: string,
      body: PlanTemplateChangeBody,
      options?: TemplateChangeOptions,
    ) => transport.json<PlanTemplate>(changingVersion(path`/plan-templates/${id}`, body, options)),
  };
}

function changingVersion(address: string, body: object, options: TemplateChangeOptions = {}) {
  const { version } = options;
  const header = ['if-match', version === undefined ? undefined : `"${version}"`] as const;
  return { ...changing(address, body, options), header };
}
