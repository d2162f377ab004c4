import { apiCompare } from 'api-smart-diff';

/** How a place of the document has changed. */
interface Change {
  readonly type?: string;
  readonly action: string;
  readonly path: readonly (string | number)[];
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What belongs to the writing of a schema, and says nothing of where in it we are. */
const NOISE = new Set(['content', 'application/json', 'schema', 'properties']);

/**
 * Gives a sentence for each change from one OpenAPI document to another that breaks a client: one that asks for more than
 * before, or answers less. A library finds the changes and knows of most what they mean; what is known better here is that
 * every enumeration of an answer is open, that bodies refuse fields that they do not know, and what a change of type does.
 */
export function breakingChanges(before: object, after: object): string[] {
  const { diffs }: { diffs: readonly Change[] } = apiCompare(before, after);
  // A named shape's changes are told again at each operation, where it is known whether it is asked or answered.
  const changes = diffs.filter(({ path: [first] }) => first === 'paths');
  return changes.filter(isBreaking).map((change) => sentenceOf(change, { before, after }));
}

function isBreaking(change: Change): boolean {
  const { action, path, type } = change;
  const isAnswer = path.includes('responses');
  const names = path.filter((part) => Number.isNaN(Number(part)));
  const keyword = names.at(-1);
  if (names.includes('examples') || keyword === 'example') return false;
  // An operation may list one more code, or one fewer.
  if (keyword === 'enum') return isAnswer ? action === 'replace' : type === 'breaking';
  if (keyword === 'type' && names.at(-2) !== 'properties') return isTypeBroken(change, isAnswer);
  if (keyword === 'anyOf' || keyword === 'oneOf') {
    return action === (isAnswer ? 'add' : 'remove') || action === 'replace';
  }
  if (!isAnswer && action === 'remove' && names.at(-2) === 'properties') return true;
  return type === 'breaking';
}

/** Who reads an answer must know all types that it has; who asks must still be let in with each that they may use. */
function isTypeBroken({ action, before, after }: Change, isAnswer: boolean): boolean {
  if (action === 'add') return isAnswer;
  if (action === 'remove') return !isAnswer;
  const [was, is] = [new Set([before].flat()), new Set([after].flat())];
  return isAnswer ? !is.isSubsetOf(was) : !was.isSubsetOf(is);
}

function sentenceOf(
  { action, path, before, after }: Change,
  documents: { readonly before: object; readonly after: object },
): string {
  const [, url, method, ...rest] = path;
  const document = action === 'add' ? documents.after : documents.before;
  const place = rest.map((part, index) => {
    const isParameter = rest[index - 1] === 'parameters';
    return isParameter ? nameOf(document, path.slice(0, index + 4)) : String(part);
  });
  const where = place.filter((part) => !NOISE.has(part)).join('.');
  const operation = method === undefined ? url : `${String(method).toUpperCase()} ${url}`;
  return `${operation}${where && `, ${where}`}: ${howOf(action, before, after)}`;
}

function howOf(action: string, before: unknown, after: unknown): string {
  if (action === 'add') return `new: ${textOf(after)}`;
  if (action === 'remove') return `gone: ${textOf(before)}`;
  return `was ${textOf(before)}, is ${textOf(after)}`;
}

function textOf(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
}

/** Parameters are a list: their names tell more than their places in it. */
function nameOf(document: object, path: readonly (string | number)[]): string {
  let value: unknown = document;
  for (const part of path)
    value = Object.entries(Object(value)).find(([key]) => key === `${part}`)?.[1];
  return String(Object(value).name ?? path.at(-1));
}
