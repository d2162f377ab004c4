import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { messageIdOf } from './message-id.ts';

interface Vector {
  readonly why: string;
  readonly sessionId: string;
  readonly kind: string;
  readonly rawId: string;
  readonly sender?: string;
  readonly messageId: string;
}

const vectorsFile = new URL('../../message-id-vectors.json', import.meta.url);
const vectors: Vector[] = JSON.parse(await readFile(vectorsFile, 'utf8'));

test('there are twelve vectors for clients in other languages', () => {
  expect(vectors).toHaveLength(12);
});

test.each(vectors)('the id of $why', ({ sessionId, kind, rawId, sender, messageId }) => {
  expect(messageIdOf(sessionId, kind, rawId, sender)).toBe(messageId);
});

test('the page for client authors shows the same vectors', async () => {
  const page = await readFile(new URL('../../../../docs/message-ids.md', import.meta.url), 'utf8');
  for (const { rawId, messageId } of vectors) {
    expect(page).toContain(`\`${rawId}\``);
    expect(page).toContain(`\`${messageId}\``);
  }
});
