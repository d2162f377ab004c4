import { parseArgs } from 'node:util';
import { StartError } from '@session/kit';
import { DEFAULT_ROWS, PARTS, type Part } from './http/bench-http.ts';
import {
  ALL_RECORDER_PARTS,
  RECORDER_PARTS,
  type RecorderPart,
} from './recorder/bench-recorder.ts';

export const HELP = `Usage: npm run bench -- http|recorder|agents [parts] [options]

http                 the API; without parts all of them, one after the other:
    reads            pages of messages and \`since\`, beside a bare server that does the same statements
    logins           a cheap request while people log in as fast as they can
    waiting          10,000 readers that wait for messages in 1,000 sessions

recorder             without parts the first four, beside the plainest recorder that could be written:
    rooms            what 1, 50, 100 and 200 rooms cost in which nobody says anything
    queue            from the recorder's queue into the history, beside one INSERT a message
    lag              from a sentence in a room to a reader, at 10, 100 and 500 a second
    recovery         until all rooms are heard again after a kill -9
    steady           memory and open files of 50 rooms in the course of --minutes, while connections break

agents               from the request of an agent until it is in its room, on the stack that runs here: npm start

    --rows <number>    messages in the API's database (default 1,000,000; loaded once and kept, 1 GB a million).
                       Of more, reads also says how they compare with the default number
    --rounds <number>  how often each is measured (default 7); results are medians
    --minutes <number> how long steady takes (default 30)
    --help             this

Each takes about five minutes, and what else this machine does disturbs it. The databases are in .cache/bench:
remove that folder to have them loaded anew.
`;

export type Asked = { readonly rounds: number } & (
  | { readonly bench: 'http'; readonly parts: readonly Part[]; readonly rows: number }
  | {
      readonly bench: 'recorder';
      readonly parts: readonly RecorderPart[];
      readonly minutes: number;
    }
  | { readonly bench: 'agents' }
);

/** Gives what the command line asks for, undefined when it is for help; throws a StartError when it cannot be understood. */
export function readArguments(args: readonly string[]): Asked | undefined {
  const { values, positionals } = parse(args);
  const [bench, ...parts] = positionals;
  if (bench === undefined || values.help) return undefined;
  const rounds = whole('--rounds', values.rounds, 1);
  if (bench === 'recorder') {
    const minutes = whole('--minutes', values.minutes, 3);
    return { bench, parts: known(ALL_RECORDER_PARTS, parts, RECORDER_PARTS), minutes, rounds };
  }
  if (bench === 'agents' && parts.length === 0) return { bench, rounds };
  if (bench !== 'http') throw unknown([bench]);
  return { bench, parts: known(PARTS, parts), rows: whole('--rows', values.rows, 50_000), rounds };
}

/** Gives those of `all` that are named, or the usual ones when none is. */
function known<Name extends string>(
  all: readonly Name[],
  names: readonly string[],
  usual: readonly Name[] = all,
): readonly Name[] {
  const others = names.filter((name) => !all.some((one) => one === name));
  if (others.length > 0) throw unknown(others);
  return names.length > 0 ? all.filter((one) => names.includes(one)) : usual;
}

function unknown(names: readonly string[]): StartError {
  return new StartError(`There is no ${names.join(', ')}.\n\n${HELP}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rows: { type: 'string', default: String(DEFAULT_ROWS) },
        rounds: { type: 'string', default: '7' },
        minutes: { type: 'string', default: '30' },
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
