import path from 'node:path';
import {
  type Database,
  migrate,
  openDatabase,
  prepareProjectQueries,
  prepareSessionQueries,
  prepareUserQueries,
} from '@session/db';
import { pause } from '@session/kit';
import { RECORDER_FLAGS } from '@session/local';
import type { MediaServer } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { Program } from '../measure/program.ts';

const ours = path.resolve(import.meta.dirname, '../../../apps/recorder/src/main.ts');
const plain = path.join(import.meta.dirname, 'plain-recorder.ts');
const LOOK_MS = 5;

/** What is measured: ours, and the plainest that could be written. */
export type Kind = 'ours' | 'plain';

export interface GroundParts {
  readonly databaseUrl: string;
  readonly media: MediaServer;
  /** For what recorders write. */
  readonly folder: string;
  readonly stop: AbortSignal;
}

/** A database and a media server, with sessions to be recorded and recorders to do it. */
export class Ground implements AsyncDisposable {
  readonly parts: GroundParts;
  readonly #database: Database;
  readonly #userId = uuidv7();
  readonly #projectId = uuidv7();

  private constructor(parts: GroundParts) {
    this.parts = parts;
    this.#database = openDatabase(parts.databaseUrl);
  }

  /** Makes the database's tables, and what sessions need to be there. */
  static async open(parts: GroundParts): Promise<Ground> {
    await migrate(parts.databaseUrl);
    const ground = new Ground(parts);
    const id = ground.#userId;
    const user = { id, name: 'Bench', email: `${id}@example.org`, passwordHash: '-' };
    await prepareUserQueries(ground.#database).insertUser(user);
    const project = { id: ground.#projectId, name: 'bench', membershipId: uuidv7(), ownerId: id };
    await prepareProjectQueries(ground.#database).insertProject(project);
    await ground.sql`
      create table plain_messages (seq bigserial primary key, session_id uuid not null, content text not null)`;
    return ground;
  }

  get sql(): Database['sql'] {
    return this.#database.sql;
  }

  /** Makes so many sessions instead of all that there were, and gives their ids. */
  async openSessions(count: number): Promise<string[]> {
    await this.sql`delete from session_heads`;
    await this.sql`delete from sessions`;
    await this.sql`truncate messages, plain_messages, recording_intervals, recorders`;
    const sessions = prepareSessionQueries(this.#database);
    const ids = Array.from({ length: count }, () => uuidv7());
    for (const id of ids) {
      const made = { projectId: this.#projectId, name: 'bench', createdBy: this.#userId };
      await sessions.insertSession({ id, ...made });
    }
    return ids;
  }

  /**
   * Starts a recorder for those sessions, which are all that there are, and gives it when it hears every one of them;
   * `folder` is the one of another that has ended, `more` what ours is configured with besides.
   */
  async startRecorder(
    kind: Kind,
    sessions: readonly string[],
    folder = uuidv7(),
    more: NodeJS.ProcessEnv = {},
  ): Promise<Program> {
    const { databaseUrl, media } = this.parts;
    const env = {
      DATABASE_URL: databaseUrl,
      MEDIA_URL: media.url,
      MEDIA_API_KEY: media.apiKey,
      MEDIA_API_SECRET: media.apiSecret,
    };
    if (kind === 'plain') return await Program.start(plain, { ...env, SESSIONS: sessions.join() });
    const RECORDER_SPOOL_DIR = path.join(this.parts.folder, 'spool', folder);
    const program = await Program.start(
      ours,
      { ...env, ...more, RECORDER_SPOOL_DIR },
      RECORDER_FLAGS,
    );
    for (;;) {
      const [heard] = await this.sql<{ count: number }[]>`
        select count(distinct session_id)::int as count from recording_intervals where to_at is null`;
      if (heard?.count === sessions.length) return program;
      await pause(LOOK_MS, this.parts.stop);
      this.parts.stop.throwIfAborted();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
