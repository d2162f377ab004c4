import { createHash } from 'node:crypto';
import { ANSWERS_ATTRIBUTE, isFields, isUuid, type RoomMessage } from '@session/contract/room';

/** Of more texts in one answer, the newest are named: each one may cost a recorder two queries. */
const MAX_NAMED = 20;

/** A text, as the agent that answers it names it. */
export interface NamedText {
  /** The message id. An agent makes one for a text that has no id in the room. */
  readonly id: string;
  /** Whether the text has no id in the room, so that only its content tells which one it is. */
  readonly isNameless: boolean;
  /** The raw id, if that is the id of a stored message: the API sends some texts again under these. */
  readonly storedId: string | undefined;
  readonly digest: string;
  /** How long before the answer the agent received the text. */
  readonly ageMs: number;
}

/** Returns what identifies the content of a text: the statement `list_stored_texts` of packages/db computes the same. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Returns the attributes of an answer that begins at `now` (milliseconds since the epoch), with the texts that it answers. */
export function answersOf(
  texts: readonly RoomMessage[],
  now = Date.now(),
): Readonly<Record<string, string>> {
  if (texts.length === 0) return {};
  const answers = texts.slice(-MAX_NAMED).map(({ id, content, metadata, receivedAt }) => {
    const { rawId, source } = metadata;
    const isStoredId = source === 'user_text' && rawId !== id && isUuid(rawId ?? '');
    return {
      id,
      ...(rawId === null && { nameless: true }),
      ...(isStoredId && { storedId: rawId }),
      digest: digestOf(content),
      ageMs: Math.max(0, Math.round(now - receivedAt)),
    };
  });
  return { [ANSWERS_ATTRIBUTE]: JSON.stringify(answers) };
}

/** Returns the texts that an answer names, as far as they are valid. Never throws. */
export function readAnswers(attributes: Readonly<Record<string, string>>): NamedText[] {
  const { [ANSWERS_ATTRIBUTE]: json } = attributes;
  if (json === undefined) return [];
  try {
    const answers: unknown = JSON.parse(json);
    return Array.isArray(answers) ? answers.slice(-MAX_NAMED).flatMap(answeredTextIn) : [];
  } catch {
    return [];
  }
}

function answeredTextIn(value: unknown): NamedText | [] {
  if (!isFields(value)) return [];
  const { id, nameless, storedId, digest, ageMs } = value;
  if (typeof id !== 'string' || !isUuid(id) || typeof digest !== 'string') return [];
  if (typeof ageMs !== 'number') return [];
  const stored = typeof storedId === 'string' && isUuid(storedId) ? storedId : undefined;
  return { id, isNameless: nameless === true, storedId: stored, digest, ageMs };
}
