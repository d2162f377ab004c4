import { type CallOptions, path, posting } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { ImportResult, Message, MessageImportBody } from '../shapes.ts';

const MOST_MESSAGES = 1000;
/** A request has at most 4 MiB. */
const MOST_BYTES = 4_000_000;

export interface FileImportResult extends ImportResult {
  /** How many lines were left out: events, and messages that are erased, empty or unfinished. */
  readonly skipped: number;
}

type ImportedMessage = MessageImportBody['messages'][number];

export async function importMessages(
  transport: Transport,
  sessionId: string,
  body: MessageImportBody,
  options?: CallOptions,
): Promise<ImportResult> {
  const call = posting(path`/sessions/${sessionId}/import`, body, options);
  return await transport.json<ImportResult>({ ...call, retry: 'always' });
}

export async function importFile(
  transport: Transport,
  sessionId: string,
  file: AsyncIterable<string> | Iterable<string>,
  options?: CallOptions,
): Promise<FileImportResult> {
  const sum = { imported: 0, unchanged: 0, skipped: 0 };
  let messages: ImportedMessage[] = [];
  let bytes = 0;
  const send = async () => {
    if (messages.length === 0) return;
    const result = await importMessages(transport, sessionId, { messages }, options);
    sum.imported += result.imported;
    sum.unchanged += result.unchanged;
    messages = [];
    bytes = 0;
  };
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    if (!line) continue;
    const read = readLine(line, number);
    if ('session' in read) continue;
    const message = importedOf(read);
    if (!message) {
      sum.skipped += 1;
      continue;
    }
    const size = new TextEncoder().encode(JSON.stringify(message)).byteLength;
    if (messages.length === MOST_MESSAGES || bytes + size > MOST_BYTES) await send();
    messages.push(message);
    bytes += size + 1;
  }
  await send();
  return sum;
}

async function* linesOf(file: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of typeof file === 'string' ? [file] : file) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest) yield rest;
}

function readLine(line: string, number: number): Message | { readonly session: object } {
  const fault = `Line ${number} is not a message of an export`;
  let read: Message | { readonly session: object };
  try {
    read = JSON.parse(line);
  } catch (error) {
    throw new TypeError(`${fault}: it is not JSON`, { cause: error });
  }
  const { id, session }: Record<string, unknown> = Object(read);
  if (typeof id !== 'string' && session === undefined) {
    throw new TypeError(`${fault}: it has no id`);
  }
  return read;
}

function importedOf(message: Message): ImportedMessage | undefined {
  const { id, role, content, status, timestamp, metadata } = message;
  const isSpoken = metadata?.['kind'] === 'text' || metadata?.['kind'] === 'transcript';
  if (!isSpoken || status !== 'complete' || content === '') return undefined;
  const participant = participantOf(message);
  return { id, role, content, timestamp, ...(participant && { participant }) };
}

function participantOf({ role, metadata }: Message): ImportedMessage['participant'] {
  const participant: Record<string, unknown> = Object(metadata?.['participant']);
  const [name, identity, externalId] = ['name', 'identity', 'externalId'].map((key) => {
    const value = participant[key];
    return typeof value === 'string' ? value : '';
  });
  const shown = (name?.trim() || identity || '').slice(0, 200);
  if (!shown) return undefined;
  return { name: shown, ...(role === 'user' && externalId && { id: externalId }) };
}
