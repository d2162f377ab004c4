import { expect, test } from 'vitest';
import { commentsOf, inferringModule, plainTypes, typeNamesOf } from './plain-shapes.ts';

test('every exported type is found, in a list and alone', () => {
  const source = `import type { Hidden } from 'a';
export type {
  Agent,
  Session,
} from 'a';
export type { Code } from 'b';
/** A guest. */
export type Guest = Hidden;
`;
  expect(typeNamesOf(source)).toEqual(['Agent', 'Code', 'Guest', 'Session']);
  expect(inferringModule(['Agent'], './shapes.ts')).toContain(
    'export const Agent = infer<shapes.Agent>();',
  );
});

test('a declaration becomes a type with the comment of its shape', () => {
  const comments = commentsOf(`/** Other. */
export declare const Other: z.ZodString;
/**
 * An agent. It is imported.
 */
export declare const Agent: z.ZodObject<{}>;
`);
  const inferred = 'export declare const Agent: {\n    id: string;\n};\n//# sourceMappingURL=x\n';
  expect(plainTypes(inferred, (name) => comments.get(name) ?? '').trim()).toBe(
    '/**\n * An agent. It is imported.\n */\nexport type Agent = {\n    id: string;\n};',
  );
});

test('a shape that contains itself is an interface, and stands once behind the types', () => {
  const contract = 'export interface Tree {\n    leaves: Tree[];\n}\nexport interface Other {\n}\n';
  const inferred = ['Oak', 'Elm'].map(
    (name) => `export declare const ${name}: import("@session/contract").Tree;\n`,
  );
  expect(plainTypes(inferred.join(''), () => '', contract)).toBe(
    'export type Oak = Tree;\nexport type Elm = Tree;\nexport interface Tree {\n    leaves: Tree[];\n}\n',
  );
});

test.each([
  'import("zod").ZodAny',
  'z.ZodAny',
  'shapes.Agent',
  'import("@session/contract").Unknown',
])('a shape that the compiler has not written out is refused: %s', (type) => {
  expect(() => plainTypes(`export declare const Agent: ${type};`, () => '')).toThrow('not plain');
});
