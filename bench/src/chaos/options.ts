import { parseArgs } from 'node:util';
import { StartError } from '@session/kit';
import type { Replication } from './database-pair.ts';
import { FAULT_NAMES, type FaultName, isFaultName, USUAL_FAULTS } from './faults.ts';

export interface ChaosOptions {
  readonly durationMs: number;
  readonly seed: number;
  readonly rooms: number;
  /** Messages per second, in all rooms together. */
  readonly rate: number;
  readonly recorders: number;
  readonly redundancy: number;
  readonly greedy: number;
  readonly apis: number;
  readonly mediaNodes: number;
  readonly standby: Replication | undefined;
  readonly everyMs: number;
  readonly faults: readonly FaultName[];
  readonly formerRecorder: string | undefined;
  readonly formerApi: string | undefined;
  readonly folder: string;
}

const USAGE = `Usage: npm run chaos -- [options]
  --minutes <10>       how long faults are injected
  --seed <any number>  the same seed injects the same faults in the same order
  --rooms <6>          rooms, with four senders and a listener each
  --rate <60>          messages per second in all rooms together
  --recorders <1>      recorder processes
  --redundancy <1>     recorders of each session
  --greedy <0>         sessions of another account, which makes as many as it may, and floods two of them
  --apis <1>           API processes; more than one are behind HAProxy, and requests that nobody repeats are sent through it
  --media-nodes <1>    nodes of LiveKit; more than one share a Redis, behind HAProxy
  --standby <replication>
                       the database has a standby, by synchronous or asynchronous replication, and requests that nobody repeats
                       are sent: 503 is an answer to them, and any other failure is a fault
  --former-recorder <commit>
                       also runs the recorder of that commit, as in a rolling update; faults hit it too
  --former-api <commit>
                       also runs the API of that commit: each request goes to the other API than the one before, and requests
                       that nobody repeats are sent to both
  --every <10>         average seconds between two faults
  --faults <usual>     names with commas between them: ${FAULT_NAMES.join(', ')};
                       "usual" is all that kill or freeze one part; with --standby the default is fail-over

PostgreSQL silent for two minutes at 230 messages per second in the rooms (the other sixth is sent through the API, and waits):
  --faults away-postgres --minutes 2.3 --every 5 --rooms 8 --rate 280
Rolling restarts of three recorders at 200 messages per second:
  --faults restart-recorders --recorders 3 --minutes 1.2 --every 5 --rooms 8 --rate 210
A rolling update: the recorder of a former release and a new one, restarted one after another:
  --former-recorder bfa3136 --faults restart-recorders --minutes 1.2 --every 5 --rooms 8 --rate 210
The same two on every session, killed by turns:
  --former-recorder bfa3136 --faults kill-recorder --redundancy 2 --minutes 2.5 --every 30 --rate 60
Rolling restarts of three APIs behind HAProxy, with long polls, followed logs and users of the console: no request may fail:
  --apis 3 --faults restart-apis --minutes 2 --every 10 --rooms 4
Two nodes of LiveKit, killed, drained by two SIGTERMs, and their Redis killed:
  --media-nodes 2 --faults kill-media,drain-media,kill-redis --minutes 3 --every 20 --rooms 4 --rate 40
The primary of the database killed while its standby is 2 s behind; with "asynchronous" what the standby lacks is lost:
  --standby synchronous --minutes 1 --every 8 --rooms 4 --rate 100
Two nodes of LiveKit whose Redis loses its data under talk; others join, and may land in a second room of the same name:
  --media-nodes 2 --faults flush-redis --minutes 2 --every 10 --rooms 4 --rate 40
A greedy account, which floods two of its sessions, while recorders and APIs are killed:
  --greedy 100 --faults kill-recorder,kill-api --minutes 2 --every 10
Two of three recorders killed within 2 s:
  --faults kill-two-recorders --recorders 3 --redundancy 2 --minutes 2 --every 20 --rooms 2 --rate 32`;

export function readOptions(args: readonly string[]): ChaosOptions {
  const values = parse(args);
  const number = (
    name: Exclude<keyof typeof values, 'faults' | 'former-api' | 'former-recorder' | 'standby'>,
  ) => {
    const value = Number(values[name]);
    if (values[name] === '' || !(value > 0))
      throw new StartError(`--${name}: a number above 0 is needed.`);
    return value;
  };
  const named = values.faults ?? (values.standby === undefined ? 'usual' : 'fail-over');
  const faults = named === 'usual' ? USUAL_FAULTS : named.split(',');
  if (!faults.every(isFaultName)) {
    const unknown = faults.filter((name) => !isFaultName(name));
    throw new StartError(
      `--faults: unknown ${unknown.join(', ')}. Choose from ${FAULT_NAMES.join(', ')}.`,
    );
  }
  const { standby } = values;
  if (!isReplication(standby)) {
    throw new StartError('--standby: `synchronous` or `asynchronous` is needed.');
  }
  if (faults.includes('fail-over') && standby === undefined) {
    throw new StartError('--faults fail-over needs --standby.');
  }
  return {
    durationMs: number('minutes') * 60_000,
    seed: number('seed'),
    rooms: number('rooms'),
    rate: number('rate'),
    recorders: number('recorders'),
    redundancy: number('redundancy'),
    greedy: values.greedy === '0' ? 0 : number('greedy'),
    apis: number('apis'),
    mediaNodes: number('media-nodes'),
    standby,
    everyMs: number('every') * 1000,
    faults,
    formerRecorder: values['former-recorder'],
    formerApi: values['former-api'],
    folder: 'chaos',
  };
}

function parse(args: readonly string[]) {
  const options = {
    minutes: text('10'),
    seed: text(String(Math.ceil(Math.random() * 1_000_000))),
    rooms: text('6'),
    rate: text('60'),
    recorders: text('1'),
    redundancy: text('1'),
    greedy: text('0'),
    apis: text('1'),
    'media-nodes': text('1'),
    every: text('10'),
    faults: { type: 'string' as const },
    standby: { type: 'string' as const },
    'former-recorder': { type: 'string' as const },
    'former-api': { type: 'string' as const },
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`${reason}\n${USAGE}`);
  }
}

function isReplication(value: string | undefined): value is Replication | undefined {
  return [undefined, 'synchronous', 'asynchronous'].includes(value);
}

function text(value: string) {
  return { type: 'string', default: value } as const;
}
