import { parseArgs } from 'node:util';
import { StartError } from '@session/kit';
import {
  AGENT_ROLES,
  ALL_CONVERSATION_PARTS,
  CONVERSATION_PARTS,
  type ConversationRequest,
} from './conversation/bench-conversation.ts';
import { DEFAULT_ROWS, type HttpRequest, PARTS, USUAL_PARTS } from './http/bench-http.ts';
import { RECORDER_PARTS, type RecorderRequest } from './recorder/bench-recorder.ts';
import { MOST_ROOMS, type ServiceLoad } from './service/service-options.ts';

export const HELP = `Usage: npm run bench -- http|recorder|service|conversation [parts] [options]

http                 the API; without parts, the first three of these one after another:
    reads            pages of messages and \`since\`, compared with a bare server that runs the plainest statements
    logins           a cheap request while users log in as fast as they can
    waiting          10,000 readers that wait for messages in 1,000 sessions
    streams          10,000 streams in 1,000 sessions: at rest, with a message in each, and cut all at once
    followers        from the store to streams and to a webhook, and what followers cost whoever stores
    erasure          of an end user with 100,000 messages, in 100 sessions and in one, and what readers see meanwhile
    search           fills the search index of messages, and searches for frequent and rare words

recorder             compared with the plainest recorder possible; without parts, all of these:
    rooms            memory and CPU time of 1, 50, 100 and 200 silent rooms, also those of the media server
    queue            from the recorder's queue into the history, compared with one INSERT per message
    lag              from a message in a room to its reader, at 10 to 1,000 messages per second
    recovery         from a kill -9 until all rooms are recorded again, and until one busy room of 301 is

service              people, agents, readers and logins together for --minutes (default 10), on a stack of its own: what they
                     get, and what each process costs. With MONITORING=1 also the alerts that fire

conversation         agents, with a model that answers at once, on the stack of \`npm start\`, which must run; without parts, the
                     first three of these:
    starts           from the request until an agent is in its room
    text             from words to their answer, what a call of a tool adds, and until an interrupted request is aborted
    voice            from the end of speech, and from typed text, until the first sound of the core agent
    memory           ten agents of each role, with each of which a person talks for --minutes

    --rows <number>    messages in the API's database (default 1,000,000; loaded once and kept, 1 GB per million).
                       With more rows, reads also compares them with the default number
    --rounds <number>  how often each part is measured (default 7); results are medians
    --minutes <number> how long memory takes (default 30), or service (default 10)
    --rooms <number>   rooms of service, with one person each (default 200)
    --agents <number>  in this many of these rooms an echo agent answers (default 20, or all rooms if there are fewer)
    --rate <number>    messages per second of all people together (default 20)
    --logins <number>  logins per minute (default 20)
    --former <commit>  of reads, queue, lag and recovery: also measures the programs of this commit, in the same rounds
    --role <role>      measures only agents of this role; may be given several times
    --speech-url <url> the speech server of \`voice\`, such as http://127.0.0.1:8000/v1; otherwise speech is scripted
    --help             prints this text

Most parts take about five minutes, and service about one more than --minutes. Other programs on this machine disturb them. The databases are kept in .cache/bench:
remove that folder to load them again.
`;

const DEFAULT_AGENTS = 20;

export type BenchRequest = { readonly rounds: number } & (
  | ({ readonly bench: 'http' } & HttpRequest)
  | ({ readonly bench: 'recorder' } & RecorderRequest)
  | ({ readonly bench: 'conversation' } & ConversationRequest)
  | ({ readonly bench: 'service' } & ServiceLoad)
);

export function readArguments(args: readonly string[]): BenchRequest | undefined {
  const { values, positionals } = parse(args);
  const [bench, ...parts] = positionals;
  if (bench === undefined || values.help) return undefined;
  const rounds = whole('--rounds', values.rounds, 1);
  const { former } = values;
  if (bench === 'http') {
    const rows = whole('--rows', values.rows, 50_000);
    return { bench, parts: known(PARTS, parts, USUAL_PARTS), rows, former, rounds };
  }
  if (bench === 'recorder') {
    return { bench, parts: known(RECORDER_PARTS, parts), former, rounds };
  }
  if (bench === 'conversation') {
    return {
      bench,
      parts: known(ALL_CONVERSATION_PARTS, parts, CONVERSATION_PARTS),
      roles: values.role ?? AGENT_ROLES,
      minutes: whole('--minutes', values.minutes ?? '30', 1),
      speechUrl: values['speech-url'],
      rounds,
    };
  }
  if (bench !== 'service' || parts.length > 0) throw unknown(positionals);
  return { bench, ...serviceLoad(values), rounds };
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
