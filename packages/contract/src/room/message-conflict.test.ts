import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/texts.ts';
import { conflictIdOf } from './message-conflict.ts';
import { messageIdOf } from './message-id.ts';
import { isSameMessage, senderOf } from './sender.ts';

interface Vector {
  readonly why: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly identity: string | null;
  readonly content: string;
  readonly conflictId: string;
}

const vectorsFile = new URL('../../message-conflict-vectors.json', import.meta.url);
const vectors: Vector[] = JSON.parse(await readFile(vectorsFile, 'utf8'));
const SESSION = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const ID = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d';
const USER = 'user-0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a50';

test.each(vectors)(
  'the name of $why',
  ({ sessionId, messageId, identity, content, conflictId }) => {
    const sender = identity === null ? null : senderOf(identity);
    const claim = { sender, content };
    expect(conflictIdOf(sessionId, messageId, claim)).toBe(conflictId);
    expect(conflictIdOf(sessionId.toUpperCase(), messageId.toUpperCase(), claim)).toBe(conflictId);
  },
);

test('the page for client authors shows the same vectors', async () => {
  const page = await readFile(new URL('../../../../docs/message-ids.md', import.meta.url), 'utf8');
  for (const { conflictId, content } of vectors) {
    expect(page).toContain(`\`${conflictId}\``);
    expect(page).toContain(`\`${content}\``);
  }
});

test('a name is a UUIDv5 made with node:crypto alone, and no message of the room can choose it', () => {
  const namespace = Buffer.from('070061c069d6474daee97ebd444c90f0', 'hex');
  fc.assert(
    fc.property(fc.option(anyText, { nil: null }), anyText, (sender, content) => {
      const name = sender === null ? `${SESSION}:${ID}/${content}` : `${SESSION}:${ID}:${sender}`;
      const hash = createHash('sha1').update(namespace).update(name, 'utf8').digest('hex');
      const conflictId = conflictIdOf(SESSION, ID, { sender, content });
      const isHashed = (index: number) => conflictId.replaceAll('-', '')[index] === hash[index];
      // The version and the variant are not part of the hash.
      const others = Array.from({ length: 32 }, (_, index) => index).filter(
        (index) => index !== 12 && index !== 16,
      );
      expect(others.every(isHashed)).toBe(true);
      expect(messageIdOf(SESSION, 'text', conflictId)).not.toBe(conflictId);
    }),
  );
});

test.each([
  [`${USER}-0a1b2c`, USER],
  [USER, USER],
  [`${USER}-a\n-b`, USER],
  [`x${USER}-0a1b2c`, `x${USER}-0a1b2c`],
  [`${USER}0-0a1b2c`, `${USER}0-0a1b2c`],
  [`${USER.toUpperCase()}-0`, `${USER.toUpperCase()}-0`],
  ['agent-echo-agent-1a2b3c', 'agent-echo-agent-1a2b3c'],
  ['', ''],
])('the identity %j is of the sender %j', (identity, sender) => {
  expect(senderOf(identity)).toBe(sender);
});

test.each([
  [{ sender: 'ada', content: 'a' }, { sender: 'ada', content: 'b' }, true],
  [{ sender: 'ada', content: 'a' }, { sender: 'ben', content: 'a' }, false],
  [{ sender: 'ada', content: 'a' }, { sender: null, content: 'a' }, true],
  [{ sender: null, content: 'a' }, { sender: null, content: 'b' }, false],
])('%j and %j are one message: %s', (one, other, isSame) => {
  expect([isSameMessage(one, other), isSameMessage(other, one)]).toEqual([isSame, isSame]);
});
