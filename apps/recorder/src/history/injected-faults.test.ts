import { execFile } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type FaultScene, openFaultScene, raise } from '../../testing/fault-scene.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const never = new AbortController().signal;
const run = promisify(execFile);

/** Pushes messages to all sessions, with an old message in each, and waits until the fault has occurred often. */
async function talk(scene: FaultScene): Promise<void> {
  for (const round of ['1', '2', '3']) {
    for (const sessionId of scene.sessions) scene.say(sessionId, `${round}a`, `${round}b`);
    await until(async () => scene.writer.length === 0 || scene.writer.spool.messages > 0);
  }
}

async function expectNothingStored(scene: FaultScene): Promise<void> {
  await talk(scene);
  expect(scene.writer.length).toBe(18);
}

async function expectAllInOrder(scene: FaultScene): Promise<void> {
  for (const sessionId of scene.sessions) {
    await scene.writer.untilStored(sessionId, never);
    expect(await scene.stored(sessionId)).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
  }
  expect([scene.writer.length, scene.writer.lost, scene.gaps]).toEqual([
    0,
    { refused: 0, shed: 0, unsaved: 0 },
    [],
  ]);
}

type Fault = [fault: string, inject: (scene: FaultScene) => Promise<() => Promise<unknown>>];

const everywhere: Fault[] = [
  ...[
    '08006',
    '25006',
    '40001',
    '53100',
    '57P01',
    '58030',
    '55P03',
    '57014',
    'XX000',
    '42501',
    '55000',
    '0A000',
    '25P02',
    '26000',
    '28000',
    '3D000',
    'P0001',
  ].map((code): Fault => [`error ${code}`, (scene) => raise(scene, code)]),
  [
    'a locked table',
    async ({ stage, use }) => {
      const lock = use(
        await holdLocks(
          stage.databaseUrl,
          async (sql) => await sql`lock table messages in access exclusive mode`,
        ),
      );
      return async () => await lock[Symbol.asyncDispose]();
    },
  ],
];

/** Faults that change the database itself. */
const ofDatabase: Fault[] = [
  [
    'a read-only database',
    async ({ sql, writer }) => {
      const [row] = await sql`select current_database() as name`;
      const set = (value: string) =>
        sql.begin(
          'read write',
          (transaction) =>
            transaction`alter database ${sql(String(row?.['name']))} set default_transaction_read_only = ${sql(value)}`,
        );
      const end = () => sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      await set('on');
      await end();
      expect(writer.length).toBe(0);
      return async () => {
        await set('off');
        await end();
      };
    },
  ],
  [
    'a renamed table',
    async ({ sql }) => {
      await sql`alter table messages rename to messages_moving`;
      return () => sql`alter table messages_moving rename to messages`;
    },
  ],
];

async function expectNothingRejected(stage: TestStage, inject: Fault[1]): Promise<void> {
  await using scene = await openFaultScene(stage);
  const cure = await inject(scene);
  await talk(scene);
  expect([scene.writer.length, scene.writer.lost.refused]).toEqual([18, 0]);
  await cure();
  await expectAllInOrder(scene);
}

test.for(everywhere)(
  '%s, whatever the session: nothing is rejected, and all is stored in order',
  async ([, inject], { stage }) => await expectNothingRejected(stage, inject),
);

test.for(ofDatabase)(
  '%s, whatever the session: nothing is rejected, and all is stored in order',
  async ([, inject]) => {
    await using stage = await TestStage.open();
    await expectNothingRejected(stage, inject);
  },
);

const ofOneSession: Fault[] = [
  ...['55P03', '57014', 'XX000', '42501', '55000', '0A000', 'P0001'].map(
    (code): Fault => [
      `error ${code}`,
      (scene) => raise(scene, code, `new.session_id = '${scene.sessions[0]}'`),
    ],
  ),
  [
    'a head that another transaction holds',
    async ({ stage, sessions, use }) => {
      const lock = use(
        await holdLocks(
          stage.databaseUrl,
          async (sql) =>
            await sql`select from session_heads where session_id = ${sessions[0]} for update`,
        ),
      );
      return async () => await lock[Symbol.asyncDispose]();
    },
  ],
];

test.for(ofOneSession)(
  '%s in one session: it alone waits, and all is stored in order',
  async ([, inject], { stage }) => {
    await using scene = await openFaultScene(stage);
    const [faulty, ...others] = scene.sessions;
    const cure = await inject(scene);
    await talk(scene);
    for (const sessionId of others) {
      await scene.writer.untilStored(sessionId, never);
      expect(await scene.stored(sessionId)).toHaveLength(6);
    }
    expect([scene.writer.isDatabaseOk, scene.writer.deferredSessions]).toEqual([true, 1]);
    expect([scene.writer.length, await scene.stored(faulty)]).toEqual([6, []]);
    await cure();
    await expectAllInOrder(scene);
    await until(() => scene.writer.deferredSessions === 0);
  },
);

test('a revoked right: nothing is rejected, and all is stored in order when it is granted again', async () => {
  const role = `limited_${uuidv7().replaceAll('-', '')}`;
  await using stage = await TestStage.open();
  await using scene = await openFaultScene(stage, { parameters: `?role=${role}` });
  const { sql } = scene;
  await sql.unsafe(`create role ${role}; grant all on all tables in schema public to ${role}`);
  try {
    await sql.unsafe(`revoke insert on messages from ${role}`);
    await expectNothingStored(scene);
    await sql.unsafe(`grant insert on messages to ${role}`);
    await expectAllInOrder(scene);
  } finally {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  }
});

test.runIf(process.getuid?.() === 0)(
  'a full disk of the database: nothing is rejected, and all is stored in order when there is room',
  async () => {
    await using temp = await tempFolder();
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', temp.folder]);
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => void (await run('umount', ['--lazy', temp.folder])));
    await using stage = await TestStage.open();
    await using scene = await openFaultScene(stage);
    const { sql } = scene;
    const [row] = await sql`select current_setting('data_directory') as path`;
    const { uid, gid } = await stat(String(row?.['path']));
    await run('chown', [`${uid}:${gid}`, temp.folder]);
    const tablespace = `small_${uuidv7().replaceAll('-', '')}`;
    await sql.unsafe(`create tablespace ${tablespace} location '${temp.folder}'`);
    await sql.unsafe(`alter table messages set tablespace ${tablespace}`);
    const filler = `${temp.folder}/filler`;
    await writeFile(filler, Buffer.alloc(2 * 1024 * 1024)).catch(() => {});
    await expectNothingStored(scene);
    await rm(filler);
    await expectAllInOrder(scene);
    await sql.unsafe('alter table messages set tablespace pg_default');
    await sql.unsafe(`drop tablespace ${tablespace}`);
  },
);
