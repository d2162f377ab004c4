import { parseArgs } from 'node:util';
import { StartError } from '@session/kit';
import { DEFAULT_ROWS, PARTS, type Part } from './http/bench-http.ts';

export const HELP = `Usage: npm run bench -- http [parts] [options]

http                 the API; without parts all of them, one after the other:
    reads            pages of messages and \`since\`, beside a bare server that does the same statements
    logins           a cheap request while people log in as fast as they can
    waiting          10,000 readers that wait for messages in 1,000 sessions

    --rows <number>    messages in the database (default 1,000,000; loaded once and kept, 1 GB a million).
                       Of more, reads also says how they compare with the default number
    --rounds <number>  how often each is measured (default 7); results are medians
    --help             this

It takes about five minutes, and what else this machine does disturbs it. The databases are in .cache/bench:
remove that folder to have them loaded anew.
`;

export interface Asked {
  readonly parts: readonly Part[];
  readonly rows: number;
  readonly rounds: number;
}

/** Gives what the command line asks for, undefined when it is for help; throws a StartError when it cannot be understood. */
export function readArguments(args: readonly string[]): Asked | undefined {
  const { values, positionals } = parse(args);
  const [bench, ...parts] = positionals;
  if (bench === undefined || values.help) return undefined;
  const unknown = [bench]
    .filter((name) => name !== 'http')
    .concat(parts.filter((it) => !isKnown(it)));
  if (unknown.length > 0) throw new StartError(`There is no ${unknown.join(', ')}.\n\n${HELP}`);
  return {
    parts: parts.length > 0 ? parts.filter(isKnown) : PARTS,
    rows: whole('--rows', values.rows, 50_000),
    rounds: whole('--rounds', values.rounds, 1),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rows: { type: 'string', default: String(DEFAULT_ROWS) },
        rounds: { type: 'string', default: '7' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new StartError(`${reason}\n\n${HELP}`, { cause });
  }
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new StartError(`${name} is a whole number from ${least}.`);
}

function isKnown(part: string): part is Part {
  return PARTS.some((known) => known === part);
}
