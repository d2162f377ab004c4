import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { insertErasure } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { loadConfig } from '../config.ts';
import { Forgetting, type ForgettingDeps } from './forgetting.ts';
import { RejectedFile } from './rejected/rejected-file.ts';
import { Spool } from './spool/spool.ts';

const PERSON = 'user-1';

function said(sessionId: string, content: string, identity = PERSON) {
  const participant = { identity, name: 'Ada', sid: null, kind: 'standard' };
  const metadata = { kind: 'text', participant, source: 'user_text', rawId: content } as const;
  return { ...textMessage(sessionId, content), metadata, receivedAt: Date.now() - 10_000 };
}

async function fillSpool(folder: string, messages: Parameters<Spool['append']>[0]): Promise<void> {
  await using spool = await Spool.open({ folder, limitBytes: 1e9, onShed: () => {} });
  await spool.append(messages);
}

async function wordsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

test('what waited in the spool, a lane and the rejected file of a recorder that was down is not stored, and leaves its disk', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const { sql } = stage.database;
  const sessionId = await stage.createSession();
  const kept = said(sessionId, 'kept', 'user-2');
  await fillSpool(path.join(temp.folder, 'spool'), [said(sessionId, 'zanzibar 1'), kept]);
  await fillSpool(path.join(temp.folder, 'lanes', sessionId), [said(sessionId, 'zanzibar 2')]);
  const rejected = new RejectedFile(temp.folder);
  const rejection = { code: '22P05', message: 'no' };
  await rejected.append(said(sessionId, 'zanzibar 3'), rejection);
  await rejected.append(said(sessionId, 'left', 'user-2'), rejection);
  expect((await wordsIn(temp.folder)).match(/zanzibar \d/g)?.toSorted()).toHaveLength(6);
  const [session] = await sql<{ projectId: string; by: string }[]>`
    select project_id as "projectId", created_by as by from sessions where id = ${sessionId}`;
  const { projectId = '', by: requestedBy = '' } = session ?? {};
  const scope = { sessionId, messageIds: null, identity: PERSON, userId: null };
  const erasureId = uuidv7();
  await insertErasure(stage.database, { id: erasureId, projectId, requestedBy, ...scope });
  const recorder = await stage.record({ config: loadConfig(stage.env(temp.folder)) });
  await until(async () => {
    const rows = await sql`select recorder_id as id from erasure_acknowledgements`;
    return rows.some((row) => row['id'] === recorder.health().recorderId);
  });
  await stage.historyWith(sessionId, ({ content }) => content === 'kept');
  expect(await sql`select content from messages where kind = 'text'`).toEqual([
    { content: 'kept' },
  ]);
  const words = await wordsIn(temp.folder);
  expect(words).not.toContain('zanzibar');
  expect(words).toContain('left');
});

const REQUESTED = 1000;

const NEWER = { keptSince: () => REQUESTED + 1, undecidedSince: () => REQUESTED + 1 };

type Part = Partial<Pick<ForgettingDeps, 'rejected' | 'slots' | 'writer'>>;

function setting(part: Part) {
  const acknowledged: string[] = [];
  const session = { since: REQUESTED + 1, isAlone: false };
  const forgetting = new Forgetting({
    recorderId: 'recorder',
    queries: {
      async listErasuresForRecorder() {
        const scope = { messageIds: null, identity: PERSON, userId: null };
        return [{ id: 'erasure', sessionId: 'session', ...scope, requestedAt: REQUESTED }];
      },
      async acknowledgeErasures(_, ids) {
        acknowledged.push(...ids);
      },
    },
    writer: { waiting: new Map([['session', session]]), settledSince: Infinity },
    rejected: { forget: async () => false },
    slots: NEWER,
    log: { debug() {}, error() {}, info() {}, warn() {} },
    ...part,
  });
  return { acknowledged, look: () => forgetting.look() };
}

const fail = async (): Promise<boolean> => {
  throw new Error('disk');
};

const waitingSince = (sessionId: string, since: number) =>
  new Map([[sessionId, { since, isAlone: false }]]);

const cases: readonly [name: string, part: Part, acknowledged: readonly string[]][] = [
  ['nothing older than the request waits', {}, ['erasure']],
  [
    'a message of the session is older',
    { writer: { waiting: waitingSince('session', REQUESTED), settledSince: Infinity } },
    [],
  ],
  [
    'a message of another session is older',
    { writer: { waiting: waitingSince('other', 0), settledSince: Infinity } },
    ['erasure'],
  ],
  [
    'files of the disk hold a stored message that is older',
    { writer: { waiting: new Map(), settledSince: REQUESTED } },
    [],
  ],
  [
    'files of the disk hold younger messages alone',
    { writer: { waiting: waitingSince('session', REQUESTED + 1), settledSince: REQUESTED + 1 } },
    ['erasure'],
  ],
  ['a standby keeps an older message', { slots: { ...NEWER, keptSince: () => REQUESTED } }, []],
  [
    'older words are in no message yet',
    { slots: { ...NEWER, undecidedSince: () => REQUESTED } },
    [],
  ],
  ['the rejected messages are being replayed', { rejected: { forget: async () => true } }, []],
  ['the file cannot be written', { rejected: { forget: fail } }, []],
];

test.for(cases)('an erasure is acknowledged while %s: %o, %j', async ([, part, expected]) => {
  const { acknowledged, look } = setting(part);
  await look();
  expect(acknowledged).toEqual(expected);
});
