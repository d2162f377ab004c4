import { type CallOptions, type CreateOptions, creating, path, reading } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { Erasure, ErasureBody } from '../shapes.ts';

export function erasuresOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<Erasure>(transport, path`/projects/${projectId}/erasures`, options),
    /** Begins an erasure, which cannot be undone, and returns its receipt. `get` shows when it is done. */
    create: (projectId: string, body: ErasureBody, options?: CreateOptions) =>
      transport.json<Erasure>(creating(path`/projects/${projectId}/erasures`, body, options)),
    get: (id: string, options?: CallOptions) =>
      transport.json<Erasure>(reading(path`/erasures/${id}`, options)),
  };
}
