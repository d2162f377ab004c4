import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalParticipant, Room } from '@livekit/rtc-node';
import {
  closeSession,
  type Database,
  insertProject,
  insertSession,
  insertUser,
  listCoverage,
  openDatabase,
} from '@session/db';
import { pause } from '@session/kit';
import {
  agentToken,
  type JoinedRoom,
  joinRoom,
  type MediaServer,
  releaseRoom,
  roomOptions,
  userToken,
} from '@session/media';
import { createTestDatabase, type TestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import type { Clock } from '../src/process/recorder-clock.ts';
import { Recorder, type RecorderDeps } from '../src/recorder.ts';
import { TIMING, type Timing } from '../src/timing.ts';

/** A twentieth of the real intervals, except where the media server sets the pace. */
export const FAST: Timing = {
  ...TIMING,
  pollMs: 100,
  heartbeatMs: 25,
  graceMs: 150,
  retryDelaysMs: [25, 50, 100, 200, 400],
  roomCheckMs: 250,
  splitCheckMs: 2000,
  healthyMs: 3000,
  silenceMs: 750,
  interimMs: 1500,
  checkpointMs: 1000,
  holdBackMs: 100,
  floodMs: 500,
  falseLeaveMs: 500,
  webhookLeaveMs: 250,
  flushMs: 5,
  quietMs: 50,
  closeMs: 250,
};

/** The time of day. */
export const REAL_CLOCK: Clock = { now: () => Date.now() };

/** The columns of a message that tests read. */
export interface HistoryRow {
  readonly id: string;
  readonly at: string;
  readonly role: string;
  readonly status: string | null;
  readonly kind: string;
  readonly content: string;
  readonly metadata: {
    readonly participant: {
      readonly identity: string;
      readonly name: string;
      readonly kind: string;
    } | null;
    readonly rawId: string | null;
    readonly transcribers?: readonly string[];
    readonly joinedAt?: string;
    readonly truncated?: true;
    readonly payload?: unknown;
    readonly from?: string;
    readonly to?: string;
    readonly reason?: string;
    readonly count?: number;
  };
}

/** The columns of a slot that tests read. */
interface StoredSlot {
  readonly status: string;
  readonly recorder_id: string | null;
  readonly attempts: number;
  readonly failure: string | null;
  readonly is_resting: boolean;
}

/** Dependencies of a recorder that replace the real ones. */
type ReplacedDeps = Partial<
  Omit<RecorderDeps, 'config' | 'queries'> & {
    readonly config: Partial<RecorderDeps['config']>;
    readonly queries: Partial<RecorderDeps['queries']>;
  }
>;

/** A database with one user and one project, whose sessions recorders of this process record. */
export class TestStage implements AsyncDisposable {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly media: MediaServer;
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;
  readonly #userId = uuidv7();
  readonly #projectId = uuidv7();

  private constructor(
    { url, folder, media }: { url: string; folder: string; media: MediaServer },
    database: Database,
    stack: AsyncDisposableStack,
  ) {
    this.databaseUrl = url;
    this.database = database;
    this.media = media;
    this.#folder = folder;
    this.#stack = stack;
  }

  /** Opens a stage on a database that `newDatabase` provides: it must be migrated, and without rows. */
  static async open(
    media: MediaServer = testMedia(),
    newDatabase: () => Promise<TestDatabase> = createTestDatabase,
  ): Promise<TestStage> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(path.join(tmpdir(), 'stage-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const { url } = stack.use(await newDatabase());
    const database = stack.use(openDatabase(url));
    const stage = new TestStage({ url, folder, media }, database, stack.move());
    const id = stage.#userId;
    const user = { id, email: 'ana@example.org', name: 'Ana', passwordHash: '-' };
    await insertUser(database, user);
    const project = { id: stage.#projectId, name: 'project', membershipId: uuidv7(), ownerId: id };
    await insertProject(database, project);
    return stage;
  }

  /** Creates a session, and returns its id. Without `isNotified`, no recorder is notified of it. */
  async createSession({ isNotified = true } = {}): Promise<string> {
    const id = uuidv7();
    const session = { id, projectId: this.#projectId, name: 'session', createdBy: this.#userId };
    if (isNotified) await insertSession(this.database, session);
    else {
      await this.database.sql`
        with s as (insert into sessions (id, project_id, name, created_by)
          values (${id}, ${session.projectId}, 'session', ${session.createdBy}) returning id, created_at),
        h as (insert into session_heads (session_id, last_at) select id, created_at from s)
        insert into recording_assignments (session_id) select id from s`;
    }
    return id;
  }

  async closeSession(id: string): Promise<void> {
    await closeSession(this.database, id, 'user');
  }

  /** Returns the variables with which the program records on this stage, by default in a folder of its own. */
  env(spoolFolder = path.join(this.#folder, uuidv7())): NodeJS.ProcessEnv {
    return {
      DATABASE_URL: this.databaseUrl,
      MEDIA_URL: this.media.url,
      MEDIA_API_KEY: this.media.apiKey,
      MEDIA_API_SECRET: this.media.apiSecret,
      RECORDER_SPOOL_DIR: spoolFolder,
      // Participants of tests talk faster than people.
      SENDER_MESSAGES_PER_SECOND: '0',
      LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    };
  }

  /** Starts a recorder in this process, with some dependencies replaced; it stops with the stage. */
  async record(replaced: ReplacedDeps = {}): Promise<Recorder> {
    const timing = replaced.timing ?? FAST;
    const recorderConfig = loadConfig(this.env());
    const deps = this.#stack.use(createDeps(recorderConfig, uuidv7(), undefined, timing));
    const queries = { ...deps.queries, ...replaced.queries };
    const config = { ...deps.config, ...replaced.config };
    const own = { ...deps, ...replaced, queries, config };
    return this.#stack.use(await Recorder.start(own));
  }

  /** Creates a session, waits until it is recorded, and returns its id. */
  async recordedSession(): Promise<string> {
    const sessionId = await this.createSession();
    await this.untilRecording(sessionId);
    return sessionId;
  }

  /** Resolves when the status of the session's slot is `recording`. */
  async untilRecording(sessionId: string): Promise<void> {
    await until(async () => (await this.slot(sessionId))?.status === 'recording');
  }

  /** Returns the session's slot, or undefined when it has none. */
  async slot(sessionId: string): Promise<StoredSlot | undefined> {
    const [slot] = await this.database.sql<StoredSlot[]>`
      select status, recorder_id, attempts, failure, next_attempt_at > now() as is_resting
      from recording_assignments where session_id = ${sessionId} order by slot`;
    return slot;
  }

  /** Returns how many times the session's room began to be covered. */
  async countIntervals(sessionId: string): Promise<number> {
    const rows = await this.database.sql`
      select id from recording_intervals
      where session_id = ${sessionId} and end_reason is distinct from 'not_started'`;
    return rows.length;
  }

  /** Sets for how long from now on the session's slot may not be claimed, if it is free. */
  async restSlot(sessionId: string, seconds = 0): Promise<void> {
    await this.database.sql`
      update recording_assignments set next_attempt_at = now() + make_interval(secs => ${seconds})
      where session_id = ${sessionId}`;
  }

  /** Joins the session's room as a person, who leaves with the stage. */
  async join(sessionId: string, name = 'Ana'): Promise<JoinedRoom> {
    const { token } = await userToken(this.media, { room: sessionId, userId: uuidv7(), name });
    return this.#stack.use(await joinRoom({ url: this.media.url, token }));
  }

  /** Joins the session's room as an agent, which leaves with the stage. */
  async joinAsAgent(sessionId: string): Promise<JoinedRoom> {
    const agent = { room: sessionId, role: 'tester', agentId: uuidv7() };
    const { token } = await agentToken(this.media, agent);
    return this.#stack.use(await joinRoom({ url: this.media.url, token }));
  }

  /** Joins the session's room as a person who uses LiveKit's SDK alone, and so is announced late. */
  async joinAsForeigner(
    sessionId: string,
    name = 'Foreigner',
    userId = uuidv7(),
  ): Promise<LocalParticipant> {
    const { token } = await userToken(this.media, { room: sessionId, userId, name });
    const room = new Room();
    await room.connect(this.media.url, token, roomOptions());
    this.#stack.defer(() => releaseRoom(room));
    if (!room.localParticipant)
      throw new Error('the room is connected, and has no local participant');
    return room.localParticipant;
  }

  /** Returns the session's history, the oldest message first. */
  async history(sessionId: string): Promise<HistoryRow[]> {
    const rows = await this.database.sql<(Omit<HistoryRow, 'metadata'> & { json: string })[]>`
      select id, "timestamp" as at, role, status, kind, content, metadata as json
      from messages where session_id = ${sessionId} order by "timestamp"`;
    return rows.map(({ json, ...row }) => ({ ...row, metadata: JSON.parse(json) }));
  }

  /** Returns the gaps as the history reports them, and as the intervals leave them: each with from, to and reason. */
  async gaps(sessionId: string): Promise<{ reported: object[]; left: object[] }> {
    const history = await this.history(sessionId);
    const reported = history.flatMap(({ kind, metadata: { from, to, reason } }) =>
      kind === 'recording_gap' ? { from, to, reason } : [],
    );
    const spans = await listCoverage(this.database, [sessionId]);
    const left = spans.flatMap(({ what, from, to, reason }) =>
      what === 'gap' ? { from, to, reason } : [],
    );
    return { reported, left };
  }

  /** Returns the session's history as soon as it holds a message for which `isWanted` is true. */
  async historyWith(
    sessionId: string,
    isWanted: (message: HistoryRow) => boolean,
  ): Promise<HistoryRow[]> {
    return await until(async () => {
      const messages = await this.history(sessionId);
      return messages.some(isWanted) && messages;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Returns the result of `check` as soon as it is not false. Throws when that takes longer than 15 s. */
export async function until<T>(check: () => Promise<T | false> | T | false): Promise<T> {
  const timeout = AbortSignal.timeout(15_000);
  for (;;) {
    const found = await check();
    if (found !== false) return found;
    if (!(await pause(15, timeout))) throw new Error(`never true: ${String(check)}`);
  }
}
