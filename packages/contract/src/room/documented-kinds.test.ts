import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { MessageKind } from './room-message.ts';

/** The compiler requires every kind. */
const KINDS: Readonly<Record<MessageKind, true>> = {
  transcript: true,
  text: true,
  complete_todo_list: true,
  plan_deliverable_update: true,
  state_change_notification: true,
  tool_call: true,
  conversation_ended: true,
  handover: true,
  participant_joined: true,
  participant_left: true,
  recording_gap: true,
  unheard: true,
};

test('docs/client.md names every kind of messages once', async () => {
  const page = await readFile(new URL('../../../../docs/client.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('\n| kind | `role` | what it is |\n|---|---|---|\n');
  const [rows = ''] = table.split('\n\n');
  const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
  const named = cells.flatMap((cell) => cell.trim().split(', '));
  expect(named.toSorted()).toEqual(
    Object.keys(KINDS)
      .map((kind) => `\`${kind}\``)
      .toSorted(),
  );
});
