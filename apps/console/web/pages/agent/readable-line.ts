/** A longer line is not parsed as JSON, because that would freeze the page. */
const MAX_PARSED = 16_384;
const MESSAGE_NAMES: ReadonlySet<string> = new Set(['msg', 'message', 'event']);
const TIME_NAMES: ReadonlySet<string> = new Set(['time', 'timestamp', 'ts']);

const ESCAPE = '\u001B';
const BELL = '\u0007';
/** ECMA-48: the sequences with which programs colour a terminal or set its title. */
const SEQUENCES = new RegExp(
  [
    `${ESCAPE}\\[[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`,
    `${ESCAPE}[@-Z\\\\^_]`,
  ].join('|'),
  'g',
);
const PICTURES = 0x24_00;
const FIRST_WITHOUT_PICTURE = 0x20;

/**
 * Returns a line of a log as a person reads it. A line of JSON becomes its message, then its fields as `name=value`. Terminal
 * colours are left out, and other control characters are shown as their pictures.
 */
export function readableLine(line: string): string {
  const fields = fieldsOf(line);
  const text = fields ? textOf(fields) : line;
  return text.replaceAll(SEQUENCES, '').replaceAll(/\p{Cc}/gu, pictureOf);
}

function pictureOf(control: string): string {
  if (control === '\t' || control === '\n') return control;
  const code = control.charCodeAt(0);
  return code < FIRST_WITHOUT_PICTURE ? String.fromCodePoint(PICTURES + code) : '\uFFFD';
}

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(line: string): Fields | undefined {
  if (!line.startsWith('{') || line.length > MAX_PARSED) return undefined;
  try {
    return mapOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length === 0 ? undefined : new Map(entries);
}

function textOf(fields: Fields): string {
  const [[name, only] = ['', null], ...others] = fields;
  const inner = others.length === 0 ? mapOf(only) : undefined;
  // Our agents name the object of a line: {"turn": {…}}.
  if (inner) return [name, ...pairs(inner)].join(' ');
  const message = [...fields].find(
    ([key, value]) => MESSAGE_NAMES.has(key) && typeof value === 'string',
  );
  const rest = [...fields].filter(([key]) => key !== message?.[0] && !TIME_NAMES.has(key));
  return [...(message ? [String(message[1])] : []), ...pairs(new Map(rest))].join(' ');
}

function pairs(fields: Fields, prefix = ''): string[] {
  return [...fields].flatMap(([name, value]) => {
    const inner = mapOf(value);
    return inner ? pairs(inner, `${prefix}${name}.`) : [`${prefix}${name}=${valueText(value)}`];
  });
}

function valueText(value: unknown): string {
  // A text of several words needs its quotes.
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
