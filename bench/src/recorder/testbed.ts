import path from 'node:path';
import {
  type Database,
  insertProject,
  insertSession,
  insertUser,
  migrate,
  openDatabase,
} from '@session/db';
import { pause } from '@session/kit';
import { nodeFlags } from '@session/local';
import type { MediaServer } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { MeasuredProgram } from '../measure/program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const ours = 'apps/recorder/src/main.ts';
const plain = path.join(import.meta.dirname, 'plain-recorder.ts');
const POLL_MS = 5;

/** The recorders that are compared: ours, the plainest possible, and that of `--former`. */
export type RecorderKind = 'former' | 'ours' | 'plain';

export interface TestbedServers {
  readonly databaseUrl: string;
  readonly media: MediaServer;
  readonly mediaPid: number;
  readonly folder: string;
  /** The checkout of `--former`. */
  readonly former: string | undefined;
  readonly stop: AbortSignal;
}

export class Testbed implements AsyncDisposable {
  readonly servers: TestbedServers;
  readonly #database: Database;
  readonly #userId = uuidv7();
  readonly #projectId = uuidv7();

  private constructor(servers: TestbedServers) {
    this.servers = servers;
    this.#database = openDatabase(servers.databaseUrl);
  }

  static async open(servers: TestbedServers): Promise<Testbed> {
    await migrate(servers.databaseUrl);
    const testbed = new Testbed(servers);
    const id = testbed.#userId;
    const user = { id, name: 'Bench', email: `${id}@example.org`, passwordHash: '-' };
    await insertUser(testbed.#database, user);
    const project = { id: testbed.#projectId, name: 'bench', membershipId: uuidv7(), ownerId: id };
    await insertProject(testbed.#database, project);
    await testbed.sql`
      create table plain_messages (seq bigserial primary key, session_id uuid not null, content text not null)`;
    return testbed;
  }

  get kinds(): readonly RecorderKind[] {
    return this.servers.former === undefined ? ['ours', 'plain'] : ['ours', 'plain', 'former'];
  }

  get sql(): Database['sql'] {
    return this.#database.sql;
  }

  async openSessions(count: number): Promise<string[]> {
    await this.sql`delete from session_heads`;
    await this.sql`delete from sessions`;
    await this.sql`truncate messages, plain_messages, recording_intervals, recorders`;
    const ids = Array.from({ length: count }, () => uuidv7());
    for (const id of ids) {
      const made = { projectId: this.#projectId, name: 'bench', createdBy: this.#userId };
      await insertSession(this.#database, { id, ...made });
    }
    return ids;
  }

  /**
   * Starts a recorder, and returns it once it records `sessions`, which must be all there are. `folder`: that of an
   * earlier recorder.
   */
  async startRecorder(
    kind: RecorderKind,
    sessions: readonly string[],
    folder = uuidv7(),
  ): Promise<MeasuredProgram> {
    const { databaseUrl, media, former = root } = this.servers;
    const common = {
      DATABASE_URL: databaseUrl,
      MEDIA_URL: media.url,
      MEDIA_API_KEY: media.apiKey,
      MEDIA_API_SECRET: media.apiSecret,
      // One sender sends for a whole room of people.
      SENDER_MESSAGES_PER_SECOND: '0',
    };
    if (kind === 'plain')
      return await MeasuredProgram.start(plain, { ...common, SESSIONS: sessions.join() });
    const RECORDER_SPOOL_DIR = path.join(this.servers.folder, 'spool', folder);
    const program = await MeasuredProgram.start(
      path.join(kind === 'former' ? former : root, ours),
      { ...common, RECORDER_SPOOL_DIR },
      nodeFlags('recorder'),
    );
    for (;;) {
      const [recorded] = await this.sql<{ count: number }[]>`
        select count(distinct session_id)::int as count from recording_intervals where to_at is null`;
      if (recorded?.count === sessions.length) return program;
      await pause(POLL_MS, this.servers.stop);
      this.servers.stop.throwIfAborted();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
