export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  readonly faultyLines: readonly number[];
}

/** A variable: its name, its value in one of three kinds of quotes or unquoted, and what follows the closing quote. */
const ASSIGNMENT =
  /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(?!["'`])([^\n]*))([^\n]*)(?:\n|$)/sy;
const BLANK = /^\s*(?:#.*)?$/;
const ESCAPES = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
]);

/** Returns the variables of a `.env` file. If two have the same name, the later one wins, as in other parsers. */
export function parseEnvFile(file: string): EnvFile {
  const text = file.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const variables = new Map<string, string>();
  const faultyLines: number[] = [];
  for (let at = 0, number = 1; at < text.length; ) {
    ASSIGNMENT.lastIndex = at;
    const found = ASSIGNMENT.exec(text) ?? undefined;
    const isVariable = found !== undefined && BLANK.test(found[6] ?? '');
    const end = text.indexOf('\n', at);
    const lines = isVariable ? found[0] : text.slice(at, end === -1 ? text.length : end + 1);
    if (isVariable) variables.set(found[1] ?? '', textOf(found));
    else if (!BLANK.test(lines.trimEnd())) faultyLines.push(number);
    number += lines.split('\n').length - 1;
    at += lines.length;
  }
  return { variables, faultyLines };
}

function textOf([, , double, single, back, plain = '']: readonly (string | undefined)[]): string {
  const unescaped = double?.replaceAll(
    /\\(.)/gs,
    (whole, letter: string) => ESCAPES.get(letter) ?? whole,
  );
  // Without quotes a comment begins at a # after a blank.
  return unescaped ?? single ?? back ?? plain.replace(/(?:^|[ \t])#.*$/, '').trim();
}
