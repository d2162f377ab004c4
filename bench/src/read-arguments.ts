import { parseArgs } from 'node:util';
import { StartError } from '@session/kit';
import { CONSOLE_PARTS, type ConsolePart } from './console/bench-console.ts';
import {
  CONVERSATION_PARTS,
  CONVERSING_ROLES,
  type ConversationRequest,
} from './conversation/bench-conversation.ts';
import { ALL_PARTS, DEFAULT_ROWS, PARTS, type Part } from './http/bench-http.ts';
import {
  ALL_RECORDER_PARTS,
  RECORDER_PARTS,
  type RecorderPart,
} from './recorder/bench-recorder.ts';
import { MOST_ROOMS, type ServiceLoad } from './service/service-options.ts';

export const HELP = `Usage: npm run bench -- http|recorder|service|claims|fleet|agents|conversation|mask|console [parts] [options]

http                 the API; without parts, the first three of these one after another:
    reads            pages of messages and \`since\`, compared with a bare server that runs the same statements
    logins           a cheap request while users log in as fast as they can
    waiting          10,000 readers that wait for messages in 1,000 sessions
    traces           the same reads with and without traces; only when named

recorder             compared with the plainest recorder possible; without parts, the first five of these:
    rooms            memory and CPU time of 1, 50, 100 and 200 silent rooms, also those of the media server
    queue            from the recorder's queue into the history, compared with one INSERT per message
    lag              from a message in a room to its reader, at 10 to 1,000 messages per second
    recovery         from a kill -9 until all rooms are recorded again, and until one busy room of 301 is
    storage          what a stored message takes on the disk
    steady           memory and open files of 50 rooms over --minutes, while connections break
    traces           the queue with and without traces

service              people, agents, readers and logins together for --minutes (default 10), on a stack of its own: what they
                     get, and what each process costs. With MONITORING=1 also the alerts that fire

claims               100 recorders that claim 20,000 free slots at the same time, and 80 that claim those of 20 dead ones

fleet                what 10, 100 and 1,000 simulated recorders ask of the database while nobody talks

mask                 masking the values of a template in the output of an agent

agents               from an agent's request until it is in its room, on the stack of \`npm start\`, which must run

conversation         conversational agents, with a model that answers at once, on the stack of \`npm start\`, which must run
    text             from the request until an agent is in its room, from words to their answer, and until an
                     interrupted request is aborted
    voice            from the end of speech, and from typed text, until the first sound of the core agent
    memory           ten agents of each role, with each of which a person talks for --minutes; only when named

console              the console in a Chromium, on a stack of its own; without parts, all of these:
    sizes            the compressed sizes of the pages
    starts           a warm \`npm start\` with and without the console, at most five pairs
    painting         the first page in a browser that was just started
    answer           from the click on *Try it now* until the first answer
    opening          until the newest of 10,000 messages is shown
    reconnecting     until the page is live again after a kill -9 of the media server, and of the API
    scrolling        frames while 100,000 messages scroll

    --rows <number>    messages in the API's database (default 1,000,000; loaded once and kept, 1 GB per million).
                       With more rows, reads also compares them with the default number
    --rounds <number>  how often each part is measured (default 7); results are medians
    --minutes <number> how long steady and memory take (default 30), or service (default 10)
    --rooms <number>   rooms of service, with one person each (default 200)
    --agents <number>  in so many of these rooms an echo agent answers (default 20, or all rooms if there are fewer)
    --rate <number>    messages per second of all people together (default 20)
    --logins <number>  logins per minute (default 20)
    --former <commit>  of traces: also measures the programs of this commit, such as the last one without traces
    --role <role>      measures only agents of this role; may be given several times
    --speech-url <url> the speech server of \`voice\`, such as http://127.0.0.1:8000/v1; otherwise speech is scripted
    --help             prints this text

Most parts take about five minutes, and service about one more than --minutes. Other programs on this machine disturb them. The databases are kept in .cache/bench:
remove that folder to load them again.
`;

/** Rooms of `service` in which an agent answers. */
const DEFAULT_AGENTS = 20;

/** The benches without parts and options of their own. */
const PLAIN_BENCHES = ['agents', 'claims', 'fleet', 'mask'] as const;
type PlainBench = (typeof PLAIN_BENCHES)[number];

/** The commit that `traces` compares with. */
interface Former {
  readonly former: string | undefined;
}

export type BenchRequest = { readonly rounds: number } & (
  | ({ readonly bench: 'http'; readonly parts: readonly Part[]; readonly rows: number } & Former)
  | ({
      readonly bench: 'recorder';
      readonly parts: readonly RecorderPart[];
      readonly minutes: number;
    } & Former)
  | { [Name in PlainBench]: { readonly bench: Name } }[PlainBench]
  | ({ readonly bench: 'conversation' } & ConversationRequest)
  | ({ readonly bench: 'service' } & ServiceLoad)
  | { readonly bench: 'console'; readonly parts: readonly ConsolePart[] }
);

/** Returns what the command line asks for, or undefined when it asks for help. Throws a StartError when it is not valid. */
export function readArguments(args: readonly string[]): BenchRequest | undefined {
  const { values, positionals } = parse(args);
  const [bench, ...parts] = positionals;
  if (bench === undefined || values.help) return undefined;
  const rounds = whole('--rounds', values.rounds, 1);
  const { former } = values;
  if (bench === 'recorder') {
    const minutes = whole('--minutes', values.minutes ?? '30', 3);
    return {
      bench,
      parts: known(ALL_RECORDER_PARTS, parts, RECORDER_PARTS),
      minutes,
      former,
      rounds,
    };
  }
  if (bench === 'conversation') {
    const minutes = whole('--minutes', values.minutes ?? '30', 1);
    const roles = values.role ?? CONVERSING_ROLES;
    return {
      bench,
      parts: known(CONVERSATION_PARTS, parts, ['text', 'voice']),
      roles,
      minutes,
      speechUrl: values['speech-url'],
      rounds,
    };
  }
  if (bench === 'service' && parts.length === 0) return { bench, ...serviceLoad(values), rounds };
  const plain = PLAIN_BENCHES.find((name) => name === bench);
  if (plain && parts.length === 0) return { bench: plain, rounds };
  if (bench === 'console') return { bench, parts: known(CONSOLE_PARTS, parts), rounds };
  if (bench !== 'http') throw unknown([bench]);
  const rows = whole('--rows', values.rows, 50_000);
  return { bench, parts: known(ALL_PARTS, parts, PARTS), rows, former, rounds };
}

function serviceLoad(values: ReturnType<typeof parse>['values']): ServiceLoad {
  const rooms = whole('--rooms', values.rooms, 1, MOST_ROOMS);
  return {
    rooms,
    agents: whole('--agents', values.agents ?? String(Math.min(DEFAULT_AGENTS, rooms)), 0, rooms),
    rate: whole('--rate', values.rate, 1),
    loginsPerMinute: whole('--logins', values.logins, 1),
    durationMs: whole('--minutes', values.minutes ?? '10', 1) * 60_000,
  };
}

/** Returns those of `all` that are named, or the usual ones when none is named. Throws a StartError for an unknown name. */
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
  return new StartError(`Unknown: ${names.join(', ')}.\n\n${HELP}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rows: { type: 'string', default: String(DEFAULT_ROWS) },
        rounds: { type: 'string', default: '7' },
        former: { type: 'string' },
        role: { type: 'string', multiple: true },
        'speech-url': { type: 'string' },
        minutes: { type: 'string' },
        rooms: { type: 'string', default: '200' },
        agents: { type: 'string' },
        rate: { type: 'string', default: '20' },
        logins: { type: 'string', default: '20' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new StartError(`${reason}\n\n${HELP}`, { cause });
  }
}

function whole(name: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const limit = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  throw new StartError(`${name} must be a whole number from ${least}${limit}.`);
}
