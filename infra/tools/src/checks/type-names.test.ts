import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkTypeNames } from './type-names.ts';

const declarations = [
  'export interface Answer {}',
  'export interface Answer<T> extends Base<T> {}',
  'export type Answer = string;',
  'export class Answer {}',
  'export abstract class Answer {}',
  'export const Answer = z.object({});',
  'export const Answer: z.ZodType<Body> = z\n  .object({});',
];

test.each(declarations)('a name that two packages export is a fault in both: %s', (text) => {
  const files = {
    'apps/api/src/answer.ts': `\n${text}`,
    'packages/kit/testing/send.ts': 'export interface Answer {}',
  };
  expect(checkTypeNames(repositoryOf(files), {})).toMatchObject([
    { path: 'apps/api/src/answer.ts', line: 2, advice: expect.stringContaining('packages/kit') },
    { path: 'packages/kit/testing/send.ts', line: 1, advice: expect.stringContaining('apps/api') },
  ]);
});

test.each([
  ['not exported', 'interface Answer {}'],
  ['only re-exported', "export { type Answer } from '@session/kit';"],
  ['another name that begins alike', 'export interface AnswerCheck {}'],
  ['a value', 'export const answer = 42;'],
])('a name is no fault when it is %s', (_, text) => {
  const files = {
    'apps/api/src/answer.ts': text,
    'packages/kit/src/send.ts': declarations[0] ?? '',
  };
  expect(checkTypeNames(repositoryOf(files), {})).toEqual([]);
});

test('a shape and its type of one name in one package are no fault', () => {
  const text = 'export const Answer = z.object({});\nexport type Answer = z.infer<typeof Answer>;';
  expect(checkTypeNames(repositoryOf({ 'apps/api/src/answer.ts': text }), {})).toEqual([]);
});

test('an exception allows a shared name, and is a fault itself when no two packages share that name', () => {
  const text = 'export interface Config {}';
  const files = { 'apps/api/src/config.ts': text, 'apps/recorder/src/config.ts': text };
  const shared = { Config: 'each has its own' };
  expect(checkTypeNames(repositoryOf(files), shared)).toEqual([]);
  expect(checkTypeNames(repositoryOf({ 'apps/api/src/config.ts': text }), shared)).toMatchObject([
    { path: 'infra/tools/src/shared-type-names.ts', advice: expect.stringContaining('Config') },
  ]);
});
