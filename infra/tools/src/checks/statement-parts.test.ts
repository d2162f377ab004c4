import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkStatementParts } from './statement-parts.ts';

test.each([
  ['db.TAIL_LOG', 'const log = await db.TAIL_LOG(database, id);'],
  ['db.auditText', "const text = db.auditText('agent.stopped', row);"],
  ['TAIL_LOG', 'const log = await TAIL_LOG(database, id);'],
  ['auditText', "import {\n  type Actor,\n  auditText,\n} from '@session/db';"],
])('the use of %s in an app is a fault', (name, text) => {
  expect(checkStatementParts(repositoryOf({ 'apps/api/src/log.ts': `\n${text}` }))).toEqual([
    {
      path: 'apps/api/src/log.ts',
      line: 2,
      advice: `Call a function of @session/db instead of ${name}, which is a part of such functions.`,
    },
  ]);
});

test.each([
  ['a function', 'apps/api/src/log.ts', 'const log = await db.tailLog(database, id);'],
  ['a constant', 'apps/api/src/log.ts', "import { MARK_END } from '@session/db';\nf(MARK_END);"],
  ['a test', 'apps/api/src/log.test.ts', 'const log = await db.TAIL_LOG(database, id);'],
  ['the package itself', 'packages/db/src/log.ts', 'return await TAIL_LOG(database, id);'],
])('%s is not a fault', (_, path, text) => {
  expect(checkStatementParts(repositoryOf({ [path]: text }))).toEqual([]);
});
