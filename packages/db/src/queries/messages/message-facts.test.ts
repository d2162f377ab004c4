import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import { appendMessages } from './append-messages.ts';

test('a role for dashboards sees kinds, times and gaps of messages, and neither contents nor metadata', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const gap = {
    ...typedText(sessionId),
    kind: 'recording_gap',
    metadata: { from: 'a', to: 'b', reason: 'outage', participant: 'Ann' },
  };
  await appendMessages(project, [typedText(sessionId), gap]);
  const role = `dashboards_${randomUUID().replaceAll('-', '')}`;
  await project.sql.unsafe(`create role ${role} login password 'secret'`);
  await project.sql.unsafe(`grant select on message_facts to ${role}`);
  const url = new URL(project.url);
  url.username = role;
  url.password = 'secret';
  await using reader = openDatabase(url.href, { connections: 1 });
  const rows = await reader.sql.unsafe('select * from message_facts order by "timestamp"');
  expect(rows).toMatchObject([
    { gap_reason: null },
    { kind: 'recording_gap', gap_from: 'a', gap_to: 'b', gap_reason: 'outage' },
  ]);
  expect(JSON.stringify(rows)).not.toContain('Ann');
  for (const column of ['content', 'metadata', 'kind']) {
    const read = reader.sql.unsafe(`select ${column} from messages`);
    await expect(read).rejects.toMatchObject({ code: '42501' });
  }
  await project.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
});
