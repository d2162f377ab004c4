import { type RoomEvent, TEXTS_ATTRIBUTE } from '@session/contract/room';
import { runMain, step, withDeadline } from '@session/kit';
import {
  disposeSdk,
  type IncomingAudio,
  type JoinedRoom,
  joinRoom,
  SentMessages,
} from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';
import { attendRoom, RETRY_DELAYS_MS } from './attend-room.ts';
import { packetCheck, type RoomConfig } from './config.ts';
import { readConfiguration } from './configuration.ts';
import { LateSenders } from './late-senders.ts';
import { ProgramTrace } from './program-trace.ts';

/** An agent that is asked to stop must end within 5 s, whether it is joining or answering. */
const JOIN_TIMEOUT_MS = 4000;
const FINISH_TIMEOUT_MS = 2500;

export interface RoomAgent extends AsyncDisposable {
  joined(room: JoinedRoom): void;
  receive(event: RoomEvent, room: JoinedRoom): void;
  readonly readsTexts: boolean;
  readonly hearAudio?: ((audio: IncomingAudio) => void) | undefined;
  /** Finishes what the agent is saying. The agent leaves after `FINISH_TIMEOUT_MS` in any case. */
  finish(): Promise<void>;
  /** Resolves when the agent leaves by itself. Rejects with the reason why it cannot continue. */
  readonly done: Promise<void>;
}

interface AgentProgram<Config extends { readonly room: RoomConfig }> {
  readonly role: string;
  readonly loadConfig: (env: NodeJS.ProcessEnv) => Config;
  readonly open: (config: Config, log: (line: string) => void) => Promise<RoomAgent> | RoomAgent;
}

/**
 * Runs an agent until it is asked to stop, leaves by itself, or its room is closed. Sends `ready` to its parent after each
 * join. With a faulty configuration, the program ends with the exit code 78.
 */
export async function runAgent<Config extends { readonly room: RoomConfig }>({
  role,
  loadConfig,
  open,
}: AgentProgram<Config>): Promise<void> {
  await runMain(async (stop) => {
    // The reader of our output may be gone. The agent must continue without it.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    await using trace = await ProgramTrace.open(role, process.env, log);
    const config = readConfiguration(() => loadConfig(process.env));
    await using agent = await open(config, log);
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    agent.done.then(leave, leave);
    const { url, room } = config.room;
    const token = tokenSource(role, config.room);
    const isSigned = packetCheck(config.room);
    using senders = new LateSenders({ isSigned, pass: agent.receive.bind(agent) });
    let last: JoinedRoom | undefined;
    const handlers = {
      onEvent: senders.receive.bind(senders),
      onAudio: agent.hearAudio?.bind(agent),
      attributes: agent.readsTexts ? { [TEXTS_ATTRIBUTE]: 'packet' } : {},
      timeoutMs: JOIN_TIMEOUT_MS,
      sent: new SentMessages(isSigned),
    };
    const join = async () => await joinRoom({ url, token: await token(last), ...handlers });
    const options = {
      join: async () => await trace.within(() => step('join room', join)),
      onJoined: (joined: JoinedRoom) => {
        last = joined;
        log(`joined room ${room} as ${joined.identity}`);
        if (process.connected) process.send?.('ready');
        trace.joined();
        agent.joined(joined);
      },
      finish: () => withDeadline(agent.finish(), FINISH_TIMEOUT_MS).catch(() => {}),
      log,
      retryDelaysMs: RETRY_DELAYS_MS,
    };
    try {
      await attendRoom(options, AbortSignal.any([stop, leaving.signal]));
    } finally {
      await disposeSdk();
    }
    if (leaving.signal.aborted) await agent.done;
  });
}

/**
 * A launcher's token lasts ten minutes, so later joins use the token that LiveKit renewed. With the keys, the agent makes
 * its own tokens.
 */
function tokenSource(
  role: string,
  { url, room, credentials }: RoomConfig,
): (last: JoinedRoom | undefined) => Promise<string> {
  if ('token' in credentials) return async (last) => last?.token ?? credentials.token;
  const agent = { room, role, agentId: uuidv7() };
  return async () => {
    // Loaded here, because few agents have the keys.
    const { agentToken } = await import('@session/media/server');
    return (await agentToken({ url, ...credentials }, agent)).token;
  };
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
