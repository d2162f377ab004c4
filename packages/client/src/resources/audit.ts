import { path } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { AuditAction, AuditEvent } from '../shapes.ts';

export interface ListAuditOptions extends ListOptions {
  readonly action?: AuditAction | undefined;
  /** The id of an account, either a person's or an API key's. */
  readonly actor?: string | undefined;
}

export function auditOf(transport: Transport) {
  return {
    /** Returns who did what in a project, the newest event first. Only for an ADMIN or an OWNER. */
    list: (projectId: string, options?: ListAuditOptions) =>
      listOf<AuditEvent>(transport, path`/projects/${projectId}/audit`, options),
  };
}
