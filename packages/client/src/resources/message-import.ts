import { type CallOptions, path, posting } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { ImportResult, MessageImportBody } from '../shapes.ts';

/**
 * Stores up to 1,000 messages of a conversation that happened elsewhere, the oldest first: all of them or none. A repeat changes
 * nothing. Throws `conversation_begun` when the session has messages that were not imported.
 */
export async function importMessages(
  transport: Transport,
  sessionId: string,
  body: MessageImportBody,
  options?: CallOptions,
): Promise<ImportResult> {
  const call = posting(path`/sessions/${sessionId}/import`, body, options);
  return await transport.json<ImportResult>({ ...call, retry: 'always' });
}
