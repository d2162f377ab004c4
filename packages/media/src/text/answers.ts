import { createHash } from 'node:crypto';
import { ANSWERS_ATTRIBUTE, isFields, isUuid, type RoomMessage } from '@session/contract/room';

const MAX_NAMED = 20;

export interface NamedText {
  readonly id: string;
  readonly isNameless: boolean;
  readonly storedId: string | undefined;
  readonly digest: string;
  readonly ageMs: number;
}

/** Returns the digest of a text's content. The statement `list_stored_texts` of packages/db computes the same. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Returns the attributes with the texts that an answer answers. `now`: ms since the epoch, when the answer begins. */
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

/** Returns the texts that an answer names, leaving out invalid ones. Never throws. */
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
